package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import io.lowkiq.store.Shard;

/**
 * The texts of the messages: {@link #ECHO}, {@link #CHANGED}, or the name of a shard.
 */
final class WakeUpMessage {

	/** Unlike the name of any shard. */
	static final String ECHO = "echo";

	/** Unlike the name of any shard. */
	static final String CHANGED = "changed";

	private WakeUpMessage() {
	}

	static boolean isEcho(byte[] body) {
		return text(body).equals(ECHO);
	}

	static boolean isChange(byte[] body) {
		return text(body).equals(CHANGED);
	}

	/**
	 * The shard of a message.
	 * @param body the message
	 * @return the shard; empty if it names none
	 */
	static Optional<Shard> shard(byte[] body) {
		try {
			return Optional.of(Shard.parse(text(body)));
		}
		catch (IllegalArgumentException ex) {
			return Optional.empty();
		}
	}

	private static String text(byte[] body) {
		return new String(body, StandardCharsets.UTF_8);
	}

}
