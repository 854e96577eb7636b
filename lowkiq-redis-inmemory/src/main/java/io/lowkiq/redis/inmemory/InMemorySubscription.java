package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.util.Set;

import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscription that is made again when the server drops it. Thread-safe. */
final class InMemorySubscription implements WakeUps.Subscription, Subscriber {

	private static final Logger logger = LoggerFactory.getLogger(InMemorySubscription.class);

	private final InMemoryRedis server;

	private final byte[][] channels;

	private final ChannelListener listener;

	/** Ends the present subscription. Guarded by the monitor. */
	private @Nullable Runnable end;

	/** Guarded by the monitor. */
	private boolean closed;

	InMemorySubscription(InMemoryRedis server, Set<String> channels, ChannelListener listener) {
		this.server = server;
		this.channels = channels.stream().map(Commands::bytes).map(InMemoryRedis::bytes).toArray(byte[][]::new);
		this.listener = listener;
	}

	/** Subscribes, at once or when the server no longer hangs. */
	@SuppressWarnings("FutureReturnValueIgnored")
	void subscribe() {
		this.server.subscribe(this, this.channels).thenAccept(this::subscribed);
	}

	private void subscribed(Runnable unsubscribe) {
		synchronized (this) {
			if (!this.closed) {
				this.end = unsubscribe;
				return;
			}
		}
		unsubscribe.run();
	}

	private void unsubscribe(boolean forEver) {
		Runnable present;
		synchronized (this) {
			this.closed |= forEver;
			present = this.end;
			this.end = null;
		}
		if (present != null) {
			present.run();
		}
	}

	@Override
	public void reconnect() {
		unsubscribe(false);
		subscribe();
	}

	@Override
	public void close() {
		unsubscribe(true);
	}

	@Override
	public void disconnected() {
		synchronized (this) {
			if (this.closed) {
				return;
			}
		}
		subscribe();
	}

	@Override
	public void subscribed() {
		notifyListener(this.listener::subscribed);
	}

	@Override
	public void message(byte[] channel, byte[] message) {
		notifyListener(() -> this.listener.message(new String(channel, StandardCharsets.UTF_8),
				new String(message, StandardCharsets.UTF_8)));
	}

	private void notifyListener(Runnable call) {
		synchronized (this) {
			if (this.closed) {
				return;
			}
		}
		try {
			call.run();
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception while processing a message, which is dropped", ex);
		}
	}

}
