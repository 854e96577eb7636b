package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.LowkiqException;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreTimeoutException;
import io.lowkiq.store.StoreUnreachableException;
import io.lowkiq.store.UnconfirmedEnqueueException;

/**
 * The parts of the outbox that can't be sent at present, while all else is: queues,
 * shards of queues, and ids. Each is tried again after a pause that grows. Used by the
 * thread that flushes; {@link #reasons()} is read by all.
 */
final class WaitingRows {

	private static final Logger logger = LoggerFactory.getLogger(WaitingRows.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	/** A shard that doesn't respond costs all others a timeout, each time. */
	private static final Duration LONGEST_PAUSE_OF_SILENCE = Duration.ofMinutes(1);

	private final Duration longestPause;

	private final LongSupplier nanoTime;

	private final Map<Part, Waiting> parts = new LinkedHashMap<>();

	/** Written by the thread that flushes, read by all. */
	private volatile Map<String, String> reasons = Map.of();

	/**
	 * Nothing waits yet.
	 * @param longestPause how long a refused part waits at most until it is tried again
	 * @param nanoTime a monotonic clock
	 */
	WaitingRows(Duration longestPause, LongSupplier nanoTime) {
		this.longestPause = longestPause;
		this.nanoTime = nanoTime;
	}

	/** The parts to leave out now, until their pause is over. */
	LeftOut leftOut(BiFunction<String, String, Shard> shardOf) {
		LeftOut leftOut = new LeftOut(shardOf);
		long now = this.nanoTime.getAsLong();
		this.parts.forEach((part, waiting) -> {
			if (waiting.retryAt() - now > 0) {
				leftOut.add(part);
			}
		});
		return leftOut;
	}

	boolean contains(Part part) {
		return this.parts.containsKey(part);
	}

	/**
	 * How long until something is tried again.
	 * @param limit the result is at most this, in nanoseconds
	 * @return nanoseconds
	 */
	long untilRetry(long limit) {
		long now = this.nanoTime.getAsLong();
		return this.parts.values()
			.stream()
			.mapToLong((waiting) -> Math.max(0, waiting.retryAt() - now))
			.reduce(limit, Math::min);
	}

	/**
	 * Keeps what has failed, and forgets what was tried and has not.
	 * @param leftOut what was not tried
	 * @param failed what was refused, or not confirmed
	 * @param all whether all rows that are not left out have been tried
	 */
	void update(LeftOut leftOut, Map<Part, RuntimeException> failed, boolean all) {
		if (all) {
			for (Part part : Set.copyOf(this.parts.keySet())) {
				if (!leftOut.contains(part) && !failed.containsKey(part)) {
					this.parts.remove(part);
					logger.info("The rows of {} in lowkiq_outbox are being sent again", part);
				}
			}
		}
		failed.forEach(this::add);
		Map<String, String> present = new TreeMap<>();
		this.parts.forEach((part, waiting) -> present.put(part.toString(), waiting.reason()));
		this.reasons = Collections.unmodifiableMap(present);
	}

	private void add(Part part, RuntimeException problem) {
		Waiting before = this.parts.get(part);
		if (before == null) {
			logger.error("The rows of {} in lowkiq_outbox can't be sent, while others are: {}", part,
					LogText.of(String.valueOf(problem.getMessage())));
		}
		Duration longest = isSilence(problem) ? LONGEST_PAUSE_OF_SILENCE : this.longestPause;
		long pause = (before != null) ? Math.min(longest.toNanos(), 2 * before.pause()) : FIRST_PAUSE.toNanos();
		this.parts.put(part,
				new Waiting(String.valueOf(problem.getMessage()), pause, this.nanoTime.getAsLong() + pause));
	}

	/** By queue, shard or id: why it waits. */
	Map<String, String> reasons() {
		return this.reasons;
	}

	/** Whether the store did not respond: then it has not refused anything. */
	static boolean isSilence(RuntimeException problem) {
		return problem instanceof StoreTimeoutException || problem instanceof StoreUnreachableException
				|| problem instanceof UnconfirmedEnqueueException;
	}

	private record Waiting(String reason, long pause, long retryAt) {
	}

	/**
	 * Rows that wait together: those of a queue, of a shard of it, or of an id.
	 *
	 * @param queue the queue's name
	 * @param shard the shard, if only that waits
	 * @param id the id, if only that waits
	 */
	record Part(String queue, @Nullable Shard shard, @Nullable String id) {

		static Part of(String queue) {
			return new Part(queue, null, null);
		}

		static Part of(Shard shard) {
			return new Part(shard.queue(), shard, null);
		}

		static Part of(String queue, String id) {
			return new Part(queue, null, id);
		}

		@Override
		public String toString() {
			if (this.id != null) {
				return "id '%s' of queue '%s'".formatted(LogText.of(this.id, 40), this.queue);
			}
			return (this.shard != null) ? "shard %d of queue '%s'".formatted(this.shard.index(), this.queue)
					: "queue '%s'".formatted(this.queue);
		}

	}

	/**
	 * The parts that a step does not read, or does not send.
	 */
	static final class LeftOut {

		private final BiFunction<String, String, Shard> shardOf;

		private final Map<String, Set<Part>> byQueue = new HashMap<>();

		LeftOut(BiFunction<String, String, Shard> shardOf) {
			this.shardOf = shardOf;
		}

		void add(Part part) {
			this.byQueue.computeIfAbsent(part.queue(), (queue) -> new HashSet<>()).add(part);
		}

		boolean contains(Part part) {
			return this.byQueue.getOrDefault(part.queue(), Set.of()).contains(part);
		}

		/** Whether all rows of a queue are left out. */
		boolean isWhole(String queue) {
			return contains(Part.of(queue));
		}

		/** Whether some rows of a queue are left out. */
		boolean isPartly(String queue) {
			return this.byQueue.containsKey(queue);
		}

		/** Whether the rows of an id are left out. */
		boolean contains(String queue, String id) {
			Set<Part> parts = this.byQueue.getOrDefault(queue, Set.of());
			return parts.contains(Part.of(queue)) || parts.contains(Part.of(queue, id))
					|| (parts.stream().anyMatch((part) -> part.shard() != null) && isOfShard(parts, queue, id));
		}

		private boolean isOfShard(Set<Part> parts, String queue, String id) {
			try {
				return parts.contains(Part.of(this.shardOf.apply(queue, id)));
			}
			catch (LowkiqException ex) {
				// The queue can't be looked up any more: sending finds out why
				return false;
			}
		}

	}

}
