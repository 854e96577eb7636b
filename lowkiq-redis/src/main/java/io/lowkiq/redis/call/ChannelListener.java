package io.lowkiq.redis.call;

/** Called one at a time, by the connection. What it throws is logged and dropped. */
public interface ChannelListener {

	/** To all channels, for the first time or again: messages before this were lost. */
	void subscribed();

	void message(String channel, String message);

}
