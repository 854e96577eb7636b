package io.lowkiq.redis.call;

import java.util.HashSet;
import java.util.Set;

import io.lowkiq.redis.wire.Utf8;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Passes messages on to a listener until it is closed. Called by the threads of the
 * connection; {@link #close()} by any thread. All state is guarded by this object's lock,
 * under which the listener is called too: that makes sure that no call begins after
 * closing.
 */
final class ClosableListener implements MessageListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(ClosableListener.class);

	private final Set<String> channels;

	private final ChannelListener listener;

	/** The channels that the present connection has subscribed to. */
	private final Set<String> subscribed = new HashSet<>();

	private boolean closed;

	ClosableListener(Set<String> channels, ChannelListener listener) {
		this.channels = channels;
		this.listener = listener;
	}

	Set<String> channels() {
		return this.channels;
	}

	@Override
	public synchronized void onMessage(Message message, byte @Nullable [] pattern) {
		if (this.closed) {
			return;
		}
		try {
			this.listener.message(Utf8.text(message.getChannel()), Utf8.text(message.getBody()));
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception while processing a message, which is dropped", ex);
		}
	}

	/** Also when Lettuce subscribed again by itself, after the connection broke. */
	@Override
	public synchronized void onChannelSubscribed(byte[] channel, long count) {
		this.subscribed.add(Utf8.text(channel));
		if (this.closed || !this.subscribed.containsAll(this.channels)) {
			return;
		}
		this.subscribed.clear();
		try {
			this.listener.subscribed();
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception after subscribing to the channels", ex);
		}
	}

	synchronized void close() {
		this.closed = true;
	}

}
