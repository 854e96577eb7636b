package io.lowkiq.redis.call;

/**
 * Receives the messages of some channels, one call at a time, on a thread of the
 * connection. What it throws is logged and dropped.
 */
public interface ChannelListener {

	/**
	 * The connection has subscribed to all channels, for the first time or again:
	 * messages before this were lost.
	 */
	void subscribed();

	void message(String channel, String message);

}
