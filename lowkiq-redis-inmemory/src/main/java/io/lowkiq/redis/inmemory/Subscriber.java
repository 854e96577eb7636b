package io.lowkiq.redis.inmemory;

/**
 * Receives the messages of channels. Called without a lock, one call at a time and in
 * order, by whichever thread uses the server at that time: usually the one whose call has
 * published, before that call is answered. Must not throw.
 */
public interface Subscriber {

	/** All channels are subscribed to. */
	void subscribed();

	void message(byte[] channel, byte[] message);

	/** The server has dropped the subscription: no more messages arrive. */
	void disconnected();

}
