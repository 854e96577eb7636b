package io.lowkiq.redis.call;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreAccessException;
import io.lowkiq.StoreException;
import io.lowkiq.StoreFullException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.store.job.Shard;

/** Turns a problem with Redis into a {@link StoreException} that says what Redis said. */
public final class RedisProblem {

	/** The additions of Redis 6 and 7 to the error of a command that a script called. */
	private static final Pattern SCRIPT_POSITION = Pattern.compile(
			"^ERR Error running script \\(.*?\\): @\\S+ (?:@\\S+ \\d+: )?-?|\\.? script: [0-9a-f]{40}, on @.*$|\\.$");

	/** When the memory is full; Redis 6 wraps it in a script's error. */
	private static final Pattern OUT_OF_MEMORY = Pattern.compile("(^|-|: )OOM ");

	/** The error of Redis for a user without the permission, or with a wrong password. */
	private static final Pattern NOT_PERMITTED = Pattern
		.compile("(^|-|: )(NOPERM|NOAUTH|WRONGPASS)\\b|ACL failure in script|The user executing the script can't");

	/** Of a Redis that takes no calls or writes at present. Nothing was written. */
	private static final Pattern UNAVAILABLE = Pattern
		.compile("(^|-|: )(LOADING|BUSY|READONLY|MASTERDOWN|MISCONF|NOREPLICAS) ");

	/** The error of {@code lib/shard.lua}, with the name of the shard. */
	private static final Pattern NEWER = Pattern.compile("LOWKIQ NEWER ([^\\s:]+:\\d{1,9}:\\d{1,9})");

	/** The error of Spring once it has stopped the connections. */
	private static final Pattern STOPPED = Pattern
		.compile("^LettuceConnectionFactory (is STOPPING|has been STOPPED|was destroyed)");

	private RedisProblem() {
	}

	public static StoreException of(String task, Throwable problem) {
		Throwable unwrapped = (problem instanceof CompletionException && problem.getCause() != null)
				? problem.getCause() : problem;
		if (unwrapped instanceof StoreException known) {
			return known;
		}
		if (anyMessage(unwrapped, (text) -> STOPPED.matcher(text).find())) {
			return new StoreUnreachableException(
					"Redis can't be asked to %s: the application is shutting down and has closed its connections"
						.formatted(task),
					unwrapped);
		}
		boolean refused = causes(unwrapped).anyMatch(
				(cause) -> cause instanceof RedisCommandExecutionException || cause instanceof ErrorReplyException);
		String message = (refused ? "Redis refused to %s: %s" : "No reply from Redis when asked to %s: %s")
			.formatted(task, reason(unwrapped));
		return refused ? refusal(message, unwrapped) : silence(message, unwrapped);
	}

	/** The exception of an enqueue that was sent, and whose reply was lost. */
	public static UnconfirmedEnqueueException unconfirmed(Throwable problem) {
		return new UnconfirmedEnqueueException(
				"The connection to Redis broke before a reply arrived. It is unknown whether the jobs are queued. "
						+ "They are not sent again automatically",
				problem);
	}

	private static StoreException refusal(String message, Throwable problem) {
		Matcher newer = NEWER.matcher(message);
		if (newer.find()) {
			Shard shard = Shard.parse(newer.group(1));
			return NewerVersionException.ofShard(shard.queue(), shard.index(), problem);
		}
		if (anyMessage(problem, (text) -> OUT_OF_MEMORY.matcher(text).find())) {
			return new StoreFullException(message, problem);
		}
		if (anyMessage(problem, (text) -> UNAVAILABLE.matcher(text).find())) {
			return new StoreUnreachableException(message, problem);
		}
		return anyMessage(problem, (text) -> NOT_PERMITTED.matcher(text).find())
				? new StoreAccessException(message, problem) : new StoreException(message, problem);
	}

	private static StoreException silence(String message, Throwable problem) {
		if (isTimeout(problem)) {
			return new StoreTimeoutException(message, problem);
		}
		// Lettuce cancels what it has not sent when a connection is closed
		return causes(problem).anyMatch((cause) -> cause instanceof RedisException || cause instanceof IOException
				|| cause instanceof CancellationException) ? new StoreUnreachableException(message, problem)
						: new StoreException(message, problem);
	}

	static boolean isTimeout(Throwable problem) {
		return causes(problem)
			.anyMatch((cause) -> cause instanceof RedisCommandTimeoutException || cause instanceof TimeoutException);
	}

	private static String reason(Throwable problem) {
		String last = causes(problem).map(Throwable::getMessage)
			.filter(Objects::nonNull)
			.reduce((first, second) -> second)
			.orElse(problem.getClass().getSimpleName());
		return SCRIPT_POSITION.matcher(last).replaceAll("");
	}

	/**
	 * Whether Redis Cluster moves the slot of the keys, or has no master for it. Nothing
	 * was executed: a computed name of a key is used before the first write.
	 */
	static boolean isOfMovingSlot(Throwable problem) {
		return anyMessage(problem,
				(message) -> message.startsWith("TRYAGAIN") || message.startsWith("ASK ")
						|| message.startsWith("MOVED ") || message.startsWith("CLUSTERDOWN")
						|| message.contains("non local key"));
	}

	/** Whether the keys are in several slots of a cluster. Nothing was executed. */
	public static boolean isOfSeveralSlots(Throwable problem) {
		return anyMessage(problem, (message) -> message.startsWith("CROSSSLOT"));
	}

	/** Whether a replica answered. */
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
