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
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.LowkiqException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of the outbox that can't be sent at present, while all else is: queues,
 * shards of queues, and ids. Each is tried again after a pause that grows. A part that
 * was sent something waits on until none of its rows is aside. Used by the thread that
 * flushes; {@link #reasons()} is read by all.
 */
final class WaitingRows {

	private static final Logger logger = LoggerFactory.getLogger(WaitingRows.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	/** The pause of a part that has forgotten something. */
	private static final long HELD = Long.MAX_VALUE;

	/** A shard that doesn't respond costs all others a timeout, each time. */
	private static final Duration LONGEST_PAUSE_OF_SILENCE = Duration.ofMinutes(1);

	private final Duration longestPause;

	private final LongSupplier nanoTime;

	private final Map<Part, Waiting> parts = new LinkedHashMap<>();

	/** Written by the thread that flushes, read by all. */
	private volatile Map<String, String> reasons = Map.of();

	WaitingRows(Duration longestPause, LongSupplier nanoTime) {
		this.longestPause = longestPause;
		this.nanoTime = nanoTime;
	}

	/** The parts to which nothing has been sent since they failed: new rows wait, too. */
	Parts failed(BiFunction<String, String, Shard> shardOf) {
		return parts(shardOf, (waiting, now) -> !waiting.isBack());
	}

	/** The parts to leave out now, until their pause is over. */
	Parts paused(BiFunction<String, String, Shard> shardOf) {
		return parts(shardOf, Waiting::isPaused);
	}

	/** The parts to try now. */
	Parts due(BiFunction<String, String, Shard> shardOf) {
		return parts(shardOf, (waiting, now) -> !waiting.isBack() && !waiting.isPaused(now));
	}

	private Parts parts(BiFunction<String, String, Shard> shardOf, BiPredicate<Waiting, Long> condition) {
		Parts some = new Parts(shardOf);
		long now = this.nanoTime.getAsLong();
		this.parts.forEach((part, waiting) -> {
			if (condition.test(waiting, now)) {
				some.add(part);
			}
		});
		return some;
	}

	/** The parts that are not paused: to be tried, or being sent again. */
	Set<Part> open() {
		long now = this.nanoTime.getAsLong();
		return this.parts.entrySet()
			.stream()
			.filter((part) -> !part.getValue().isPaused(now))
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
	}

	boolean contains(Part part) {
		return this.parts.containsKey(part);
	}

	/** How many nanoseconds until something is tried again, up to a limit. */
	long untilRetry(long limit) {
		long now = this.nanoTime.getAsLong();
		return this.parts.values()
			.stream()
			.filter((waiting) -> !waiting.isBack() && !waiting.isHeld())
			.mapToLong((waiting) -> Math.max(0, waiting.retryAt() - now))
			.reduce(limit, Math::min);
	}

	/** Keeps what has failed. */
	void fail(Map<Part, RuntimeException> failed) {
		failed.forEach(this::add);
		publish();
	}

	/** Lets parts wait whose shards have forgotten what they were sent. */
	void hold(Map<Part, Long> forgetful) {
		this.parts.replaceAll(
				(part, waiting) -> (waiting.isHeld() && !forgetful.containsKey(part)) ? waiting.back() : waiting);
		forgetful
			.forEach((part, rows) -> this.parts.put(part, new Waiting("Redis has forgotten jobs that it had confirmed. "
					+ rows + " rows have returned so far, to be sent again", HELD, 0, false)));
		publish();
	}

	void sent(Set<Part> sent) {
		sent.forEach((part) -> this.parts.computeIfPresent(part, (same, waiting) -> {
			logger.info("The rows of {} in lowkiq_outbox are being sent again", part);
			return waiting.back();
		}));
	}

	void forget(Set<Part> empty) {
		if (this.parts.keySet().removeAll(empty)) {
			publish();
		}
	}

	private void publish() {
		Map<String, String> present = new TreeMap<>();
		this.parts.forEach((part, waiting) -> present.put(part.toString(), waiting.reason()));
		this.reasons = Collections.unmodifiableMap(present);
	}

	private void add(Part part, RuntimeException problem) {
		Waiting before = this.parts.get(part);
		if (before == null || before.isBack()) {
			logger.error("The rows of {} in lowkiq_outbox can't be sent, while others are: {}", part,
					LogText.of(String.valueOf(problem.getMessage())));
		}
		Duration longest = isSilence(problem) ? LONGEST_PAUSE_OF_SILENCE : this.longestPause;
		long pause = (before != null) ? Math.min(longest.toNanos(), 2 * before.pause()) : FIRST_PAUSE.toNanos();
		this.parts.put(part,
				new Waiting(String.valueOf(problem.getMessage()), pause, this.nanoTime.getAsLong() + pause, false));
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

	private record Waiting(String reason, long pause, long retryAt, boolean isBack) {

		boolean isHeld() {
			return !this.isBack && this.pause == HELD;
		}

		boolean isPaused(long now) {
			return isHeld() || (!this.isBack && this.retryAt - now > 0);
		}

		Waiting back() {
			return new Waiting(this.reason, isHeld() ? FIRST_PAUSE.toNanos() : this.pause, this.retryAt, true);
		}

	}

	/** Rows that wait together: of a queue, of one of its shards, or of an id. */
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
			return (this.shard != null) ? "shard %s of queue '%s'".formatted(this.shard.index(), this.queue)
					: "queue '%s'".formatted(this.queue);
		}

	}

	static final class Parts {

		private final BiFunction<String, String, Shard> shardOf;

		private final Map<String, Set<Part>> byQueue = new HashMap<>();

		private final Set<String> queuesWithShards = new HashSet<>();

		Parts(BiFunction<String, String, Shard> shardOf) {
			this.shardOf = shardOf;
		}

		void add(Part part) {
			this.byQueue.computeIfAbsent(part.queue(), (queue) -> new HashSet<>()).add(part);
			if (part.shard() != null) {
				this.queuesWithShards.add(part.queue());
			}
		}

		boolean isEmpty() {
			return this.byQueue.isEmpty();
		}

		/** Whether all rows of a queue are among them. */
		boolean isWhole(String queue) {
			return this.byQueue.getOrDefault(queue, Set.of()).contains(Part.of(queue));
		}

		/** Whether some rows of a queue are among them. */
		boolean isPartly(String queue) {
			return this.byQueue.containsKey(queue);
		}

		/** The part to which the rows of an id belong; null if they belong to none. */
		@Nullable Part find(String queue, String id) {
			Set<Part> some = this.byQueue.get(queue);
			if (some == null) {
				return null;
			}
			return Stream.of(Part.of(queue), Part.of(queue, id))
				.filter(some::contains)
				.findFirst()
				.orElseGet(() -> this.queuesWithShards.contains(queue) ? findShard(some, queue, id) : null);
		}

		private @Nullable Part findShard(Set<Part> some, String queue, String id) {
			try {
				Part shard = Part.of(this.shardOf.apply(queue, id));
				return some.contains(shard) ? shard : null;
			}
			catch (LowkiqException ex) {
				// The queue can't be looked up any more: sending finds out why
				return null;
			}
		}

	}

}
