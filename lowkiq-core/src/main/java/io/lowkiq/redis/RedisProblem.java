package io.lowkiq.redis;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lowkiq.store.StoreException;

/**
 * Turns what went wrong with a call to Redis into a {@link StoreException} that says what
 * Redis said.
 */
final class RedisProblem {

	/** What Redis 6 and 7 add to the error of a command that a script called. */
	private static final Pattern SCRIPT_POSITION = Pattern.compile(
			"^ERR Error running script \\(.*?\\): @\\S+ (?:@\\S+ \\d+: )?-?|\\.? script: [0-9a-f]{40}, on @.*$|\\.$");

	private RedisProblem() {
	}

	/**
	 * The exception of a call.
	 * @param task what Redis was to do
	 * @param problem what went wrong
	 * @return the exception
	 */
	static StoreException of(String task, Throwable problem) {
		Throwable unwrapped = (problem instanceof CompletionException && problem.getCause() != null)
				? problem.getCause() : problem;
		if (unwrapped instanceof StoreException known) {
			return known;
		}
		boolean refused = causes(unwrapped).anyMatch(RedisCommandExecutionException.class::isInstance);
		return new StoreException((refused ? "Redis refused to %s: %s" : "No answer from Redis that was to %s: %s")
			.formatted(task, reason(unwrapped)), unwrapped);
	}

	private static String reason(Throwable problem) {
		String last = causes(problem).map(Throwable::getMessage)
			.filter(Objects::nonNull)
			.reduce((first, second) -> second)
			.orElse(problem.getClass().getSimpleName());
		return SCRIPT_POSITION.matcher(last).replaceAll("");
	}

	/**
	 * Whether a call was refused because Redis Cluster moves the slot of its keys, or has
	 * no master for it. Nothing was executed: where a name of a key is computed, its
	 * first use is before the first write.
	 * @param problem what went wrong
	 * @return true if it was
	 */
	static boolean isOfMovingSlot(Throwable problem) {
		return anyMessage(problem,
				(message) -> message.startsWith("TRYAGAIN") || message.startsWith("ASK ")
						|| message.startsWith("MOVED ") || message.startsWith("CLUSTERDOWN")
						|| message.contains("non local key"));
	}

	/**
	 * Whether a replica answered. Redis 6 wraps what a command answered to a script.
	 * @param problem what went wrong
	 * @return true if one did
	 */
	static boolean isFromReplica(Throwable problem) {
		return anyMessage(problem, (message) -> message.contains("READONLY "));
	}

	private static boolean anyMessage(Throwable problem, Predicate<String> condition) {
		return causes(problem).map(Throwable::getMessage)
			.anyMatch((message) -> message != null && condition.test(message));
	}

	private static Stream<Throwable> causes(Throwable problem) {
		return Stream.iterate(problem, Objects::nonNull, Throwable::getCause);
	}

}
