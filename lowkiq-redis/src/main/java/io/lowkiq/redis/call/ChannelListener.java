package io.lowkiq.redis.call;

import java.util.HashSet;
import java.util.Set;

import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Passes the messages of two channels to a listener until it is closed. Called by the
 * threads of the connection; {@link #close()} by any thread. All state is guarded by this
 * object's lock, under which the listener is called too: that makes sure that no call
 * begins after closing.
 */
public final class ChannelListener implements MessageListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(ChannelListener.class);

	private final String ownChannel;

	private final String commonChannel;

	private final WakeUps.Listener listener;

	/** The channels that the present connection has subscribed to. */
	private final Set<String> subscribed = new HashSet<>();

	private boolean closed;

	/**
	 * A listener that isn't closed.
	 * @param ownChannel the channel of the session
	 * @param commonChannel the channel of all
	 * @param listener called for each message
	 */
	public ChannelListener(String ownChannel, String commonChannel, WakeUps.Listener listener) {
		this.ownChannel = ownChannel;
		this.commonChannel = commonChannel;
		this.listener = listener;
	}

	public Set<String> channels() {
		return Set.of(this.ownChannel, this.commonChannel);
	}

	@Override
	public synchronized void onMessage(Message message, byte @Nullable [] pattern) {
		if (this.closed) {
			return;
		}
		try {
			pass(Utf8.text(message.getChannel()), Utf8.text(message.getBody()));
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception while processing a message, which is dropped", ex);
		}
	}

	private void pass(String channel, String message) {
		if (!channel.equals(this.commonChannel)) {
			if (message.equals(WakeUpMessage.ECHO)) {
				this.listener.echo();
			}
			else {
				WakeUpMessage.shard(message).ifPresent(this.listener::wake);
			}
		}
		else if (message.equals(WakeUpMessage.CHANGED)) {
			this.listener.changed();
		}
		else {
			WakeUpMessage.shard(message).ifPresent(this.listener::released);
		}
	}

	/**
	 * Called for each channel, also when Lettuce subscribed again by itself after the
	 * connection broke.
	 */
	@Override
	public synchronized void onChannelSubscribed(byte[] channel, long count) {
		this.subscribed.add(Utf8.text(channel));
		if (this.closed || !this.subscribed.containsAll(channels())) {
			return;
		}
		this.subscribed.clear();
		try {
			this.listener.connected();
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception after subscribing to the channels", ex);
		}
	}

	public synchronized void close() {
		this.closed = true;
	}

}
