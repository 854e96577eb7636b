package io.lowkiq.redis.call;

import java.util.Optional;

import io.lowkiq.store.Shard;

/**
 * The messages: {@link #ECHO}, {@link #CHANGED}, or the name of a shard.
 */
public final class WakeUpMessage {

	/** Unlike the name of any shard. */
	public static final String ECHO = "echo";

	/** Unlike the name of any shard. */
	public static final String CHANGED = "changed";

	private WakeUpMessage() {
	}

	/**
	 * The shard of a message.
	 * @param text the message
	 * @return the shard; empty if it names none
	 */
	public static Optional<Shard> shard(String text) {
		try {
			return Optional.of(Shard.parse(text));
		}
		catch (IllegalArgumentException ex) {
			return Optional.empty();
		}
	}

}
