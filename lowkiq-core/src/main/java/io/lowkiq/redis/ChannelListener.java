package io.lowkiq.redis;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

import io.lowkiq.store.WakeUps;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.jspecify.annotations.Nullable;

/**
 * Hands the messages of two channels to a listener until it is closed. Called by the
 * threads of the connection; {@link #close()} by any thread. All state is guarded by this
 * object's lock, under which the listener is called too: that is what makes sure that no
 * call begins after closing.
 */
final class ChannelListener implements MessageListener, SubscriptionListener {

	private final byte[] ownChannel;

	private final byte[] commonChannel;

	private final WakeUps.Listener listener;

	private final Set<ByteBuffer> subscribed = new HashSet<>();

	private boolean closed;

	ChannelListener(byte[] ownChannel, byte[] commonChannel, WakeUps.Listener listener) {
		this.ownChannel = ownChannel;
		this.commonChannel = commonChannel;
		this.listener = listener;
	}

	byte[][] channels() {
		return new byte[][] { this.ownChannel, this.commonChannel };
	}

	@Override
	public synchronized void onMessage(Message message, byte @Nullable [] pattern) {
		if (this.closed) {
			return;
		}
		byte[] body = message.getBody();
		if (ByteBuffer.wrap(message.getChannel()).equals(ByteBuffer.wrap(this.commonChannel))) {
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
	public synchronized void onChannelSubscribed(byte[] channel, long count) {
		this.subscribed.add(ByteBuffer.wrap(channel));
		if (this.subscribed.size() == channels().length && !this.closed) {
			this.subscribed.clear();
			this.listener.connected();
		}
	}

	synchronized void close() {
		this.closed = true;
	}

}
