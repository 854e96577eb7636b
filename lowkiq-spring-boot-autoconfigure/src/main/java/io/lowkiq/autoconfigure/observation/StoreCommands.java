package io.lowkiq.autoconfigure.observation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;

import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.tracing.LettuceObservationContext;
import io.lettuce.core.tracing.TraceContextProvider;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out the Redis commands that Lowkiq sends in the background: heartbeats, polls,
 * fetches. A command that is sent within an observation, such as that of an enqueue, is
 * part of it and stays. Thread-safe.
 */
final class StoreCommands implements ObservationPredicate {

	/** Lowkiq's commands without a key, which don't say who sends them. */
	private static final Set<String> WITHOUT_KEY = Set.of("TIME", "PING", "INFO", "HELLO", "CLIENT", "SUBSCRIBE",
			"UNSUBSCRIBE");

	private final ByteBuffer keyPrefix;

	StoreCommands(String keyPrefix) {
		this.keyPrefix = ByteBuffer.wrap(keyPrefix.getBytes(StandardCharsets.UTF_8));
	}

	@Override
	public boolean test(String name, Observation.Context context) {
		if (!(context instanceof LettuceObservationContext lettuce) || !lettuce.hasCommand()) {
			return true;
		}
		RedisCommand<?, ?, ?> command = lettuce.getRequiredCommand();
		return hasParent(command) || !isOfStore(command);
	}

	private static boolean hasParent(RedisCommand<?, ?, ?> command) {
		TraceContextProvider sender = CommandWrapper.unwrap(command, TraceContextProvider.class);
		return sender != null && sender.getTraceContext() != null;
	}

	private boolean isOfStore(RedisCommand<?, ?, ?> command) {
		ByteBuffer key = key(command.getArgs());
		if (key == null) {
			return WITHOUT_KEY.contains(command.getType().toString());
		}
		int length = this.keyPrefix.remaining();
		return key.remaining() >= length && key.slice(key.position(), length).equals(this.keyPrefix);
	}

	private static @Nullable ByteBuffer key(@Nullable CommandArgs<?, ?> arguments) {
		return (arguments != null) ? arguments.getFirstEncodedKey() : null;
	}

}
