package io.lowkiq.redis;

import java.util.Optional;

import io.lowkiq.store.job.Shard;

/** The messages: {@link #ECHO}, {@link #CHANGED}, or the name of a shard. */
final class WakeUpMessage {

	/** Unlike the name of any shard. */
	static final String ECHO = "echo";

	/** Unlike the name of any shard. */
	static final String CHANGED = "changed";

	private WakeUpMessage() {
	}

	static Optional<Shard> shard(String text) {
		try {
			return Optional.of(Shard.parse(text));
		}
		catch (IllegalArgumentException ex) {
			return Optional.empty();
		}
	}

}
