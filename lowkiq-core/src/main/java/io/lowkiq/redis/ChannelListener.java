package io.lowkiq.redis;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Hands the messages of two channels to a listener until it is closed. Called by the
 * threads of the connection; {@link #close()} by any thread. All state is guarded by this
 * object's lock, under which the listener is called too: that is what makes sure that no
 * call begins after closing.
 * <p>
 * Throws nothing: Jedis would stop reading, and give the connection to its next user with
 * the messages that are still to come.
 */
final class ChannelListener implements MessageListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(ChannelListener.class);

	private final byte[] ownChannel;

	private final byte[] commonChannel;

	private final WakeUps.Listener listener;

	private final Runnable unwanted;

	private final Set<ByteBuffer> subscribed = new HashSet<>();

	/** Written under the lock, read by all. */
	private volatile boolean connected;

	private boolean closed;

	/**
	 * A listener that isn't closed.
	 * @param ownChannel the channel of the session
	 * @param commonChannel the channel of all
	 * @param listener told what comes
	 * @param unwanted called when a connection has subscribed after closing
	 */
	ChannelListener(byte[] ownChannel, byte[] commonChannel, WakeUps.Listener listener, Runnable unwanted) {
		this.ownChannel = ownChannel;
		this.commonChannel = commonChannel;
		this.listener = listener;
		this.unwanted = unwanted;
	}

	byte[][] channels() {
		return new byte[][] { this.ownChannel, this.commonChannel };
	}

	/** A connection is about to subscribe to the channels. */
	synchronized void connecting() {
		this.subscribed.clear();
		this.connected = false;
	}

	/** Whether the connection has subscribed to all channels. */
	boolean isConnected() {
		return this.connected;
	}

	@Override
	public synchronized void onMessage(Message message, byte @Nullable [] pattern) {
		if (this.closed) {
			return;
		}
		try {
			tell(message.getChannel(), message.getBody());
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception while a message was heard, which is dropped", ex);
		}
	}

	private void tell(byte[] channel, byte[] body) {
		if (ByteBuffer.wrap(channel).equals(ByteBuffer.wrap(this.commonChannel))) {
			if (WakeUpMessage.isChange(body)) {
				this.listener.changed();
			}
			else {
				WakeUpMessage.shard(body).ifPresent(this.listener::released);
			}
		}
		else if (WakeUpMessage.isEcho(body)) {
			this.listener.echo();
		}
		else {
			wake(body);
		}
	}

	private void wake(byte[] body) {
		WakeUpMessage.shard(body)
			.ifPresent((shard) -> WakeUpMessage.handOver(body)
				.ifPresentOrElse((handOver) -> this.listener.handOver(shard, handOver),
						() -> this.listener.wake(shard)));
	}

	/**
	 * Called for each channel, also when the client library subscribed again by itself
	 * after the connection broke.
	 */
	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		if (isUnwanted(channel)) {
			this.unwanted.run();
		}
	}

	private synchronized boolean isUnwanted(byte[] channel) {
		this.subscribed.add(ByteBuffer.wrap(channel));
		if (this.subscribed.size() < channels().length) {
			return false;
		}
		this.subscribed.clear();
		this.connected = true;
		if (this.closed) {
			return true;
		}
		try {
			this.listener.connected();
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception after the channels were subscribed to", ex);
		}
		return false;
	}

	synchronized void close() {
		this.closed = true;
	}

}
