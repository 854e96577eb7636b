package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.lowkiq.engine.runtime.Backoff;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.StoreTimeoutException;
import io.lowkiq.store.StoredFollowUp;
import org.jspecify.annotations.Nullable;

/**
 * The follow-ups of a shard on their way to their queues, under one lease. They are read
 * in batches, and each batch is enqueued into all its target shards at the same time. A
 * target that refuses, or is slow, holds up only what goes there: later follow-ups for it
 * stay where they are, because they would make the earlier ones look like repetitions,
 * and are read again in the next round. Used by one thread, which never waits for the
 * store.
 */
final class ShardFollowUps {

	/** How long the next batch waits for the calls of the one before. */
	private static final long PATIENCE = Duration.ofMillis(50).toNanos();

	/** How long a call may lack an answer before it has failed. */
	static final long CALL_LIMIT = Duration.ofSeconds(60).toNanos();

	private final FollowUpMover mover;

	private final Lease lease;

	private final Runnable answered;

	/** Calls in progress by the shard that they enqueue into, or the queue looked up. */
	private final Map<Object, Call> calls = new LinkedHashMap<>();

	/** Shards and queues that get nothing more in this round: they refuse or are slow. */
	private final Set<Object> closed = new HashSet<>();

	/** The numbers that wait for a slow shard or queue. */
	private final Map<Object, Set<Long>> slow = new HashMap<>();

	/** The read in progress; null if none is. */
	private @Nullable Read read;

	/** Numbers that are enqueued and not removed yet, and where they went. */
	private List<Long> enqueued = new ArrayList<>();

	private Set<Shard> targets = new HashSet<>();

	/** How often each shard had forgotten an origin before the last round began. */
	private final Map<Object, Long> forgotten = new HashMap<>();

	/** Lets the targets forget when nothing has waited for a while. */
	private final OriginCleanup cleanup;

	/** The largest number that was read in this round, and in any. */
	private long after;

	private long reached;

	private long sentAt;

	/** Whether nothing more waited after the last number. */
	private boolean end = true;

	/** Whether reading has failed, so that it is over until the next round. */
	private boolean failed;

	/** Whether a slow call has ended, so that another round is needed. */
	private boolean again;

	/** Why something was refused in this round, and in the last completed one. */
	private @Nullable Throwable refusal;

	private @Nullable Throwable problem;

	/** The largest number that was refused. */
	private long lastRefused;

	private final Backoff backoff = new Backoff();

	/** When the next round begins, if something was refused. */
	private long retryAt;

	/**
	 * A call.
	 *
	 * @param numbers the follow-ups that it enqueues
	 * @param answer its answer
	 * @param since when it was made
	 */
	private record Call(List<Long> numbers, CompletableFuture<?> answer, long since) {

		boolean isOver(long nanos) {
			return this.answer.isDone() || nanos - this.since >= CALL_LIMIT;
		}

	}

	private record Read(List<Long> removing, Set<Shard> targets, CompletableFuture<List<StoredFollowUp>> answer,
			long since) {
	}

	ShardFollowUps(FollowUpMover mover, Lease lease, Runnable answered) {
		this.mover = mover;
		this.lease = lease;
		this.answered = answered;
		this.cleanup = new OriginCleanup(mover, lease, answered);
	}

	Lease lease() {
		return this.lease;
	}

	/** Notes that more follow-ups wait. */
	void wake() {
		this.end = false;
		this.cleanup.restart();
	}

	/** Why follow-ups are refused; null if none is. */
	@Nullable Throwable problem() {
		return this.problem;
	}

	/**
	 * Whether the store is busy with them, so that others may have to wait their turn.
	 */
	boolean isUnderWay() {
		long nanos = this.mover.nanoTime();
		if (this.cleanup.isUnderWay()) {
			return nanos - this.cleanup.since() < PATIENCE;
		}
		return (this.read != null) ? nanos - this.read.since() < PATIENCE : hasFreshCalls() && patienceLeft(nanos) > 0;
	}

	/** Whether all that waited was read, and what was not refused is in its queue. */
	boolean isOver() {
		return this.read == null && !hasFreshCalls() && (this.failed || (isRead() && !this.again));
	}

	/** Whether nothing waits. */
	boolean isIdle() {
		return isOver() && this.calls.isEmpty() && this.problem == null && this.refusal == null;
	}

	/** Whether nothing waits, and it is too early for other shards to forget. */
	boolean isResting() {
		return isIdle() && this.cleanup.isResting();
	}

	/** Whether there is nothing to remember. */
	boolean isDone() {
		return isIdle() && this.cleanup.isDone();
	}

	/**
	 * The largest number that was read: smaller ones are in their queues, refused, or
	 * {@linkplain #pending() on their way}. 0 if that is not known yet; the largest
	 * number if none is to be waited for.
	 */
	long reached() {
		return (isIdle() || this.failed) ? Long.MAX_VALUE : this.reached;
	}

	/** How many are on their way, or wait for a slow target. */
	int pending() {
		return this.calls.values().stream().mapToInt((call) -> call.numbers().size()).sum()
				+ this.slow.values().stream().mapToInt(Set::size).sum();
	}

	/**
	 * Does what is due.
	 * @param mayRead whether another batch may be read, or other shards may forget some
	 * @return the time until something is due, in nanoseconds; 0 if only {@code mayRead}
	 * is missing
	 */
	long advance(boolean mayRead) {
		long nanos = this.mover.nanoTime();
		for (boolean mayReadNow = mayRead;; mayReadNow = false) {
			collectRead(nanos);
			collectCalls(nanos);
			judge();
			if (this.read != null) {
				return this.read.since() + CALL_LIMIT - nanos;
			}
			if (hasFreshCalls() && patienceLeft(nanos) > 0) {
				return patienceLeft(nanos);
			}
			this.closed.addAll(this.calls.keySet());
			if (this.again || (this.refusal != null && this.retryAt - nanos <= 0)) {
				beginRound();
			}
			if (isIdle()) {
				long wait = this.cleanup.untilDue();
				if (wait > 0 || !mayReadNow) {
					return wait;
				}
				this.cleanup.next(this.reached);
				continue;
			}
			if (this.failed || isRead()) {
				return untilDue(nanos);
			}
			if (!mayReadNow) {
				return 0;
			}
			readNext(nanos);
		}
	}

	/** Waits for an answer, at most for a time in nanoseconds. */
	void await(long nanos) {
		List<CompletableFuture<?>> answers = new ArrayList<>();
		if (this.read != null) {
			answers.add(this.read.answer());
		}
		this.calls.values().forEach((call) -> answers.add(call.answer()));
		try {
			CompletableFuture.anyOf(answers.toArray(CompletableFuture<?>[]::new)).get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// The next step finds it
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StoreException("Interrupted while follow-ups were being moved", ex);
		}
	}

	private boolean isRead() {
		return this.end && this.enqueued.isEmpty();
	}

	/** Whether calls of the last batch are in progress. */
	private boolean hasFreshCalls() {
		return !this.closed.containsAll(this.calls.keySet());
	}

	private long patienceLeft(long nanos) {
		return this.sentAt + PATIENCE - nanos;
	}

	private long untilDue(long nanos) {
		long due = this.calls.values()
			.stream()
			.mapToLong((call) -> call.since() + CALL_LIMIT - nanos)
			.min()
			.orElse(Long.MAX_VALUE);
		return (this.refusal != null) ? Math.min(due, this.retryAt - nanos) : due;
	}

	/** Reads all again that has not been moved. What is slow stays closed. */
	private void beginRound() {
		this.closed.clear();
		this.closed.addAll(this.calls.keySet());
		this.after = 0;
		this.end = false;
		this.failed = false;
		this.again = false;
		this.refusal = null;
	}

	private void readNext(long nanos) {
		List<Long> removing = this.enqueued;
		Set<Shard> removingFrom = this.targets;
		this.enqueued = new ArrayList<>();
		this.targets = new HashSet<>();
		this.cleanup.postpone();
		CompletableFuture<List<StoredFollowUp>> answer = begun(
				() -> this.mover.next(this.lease, removing, removingFrom, this.after));
		this.read = new Read(removing, removingFrom, answer, nanos);
		// What is known to wait is read by this call; what comes from now on wakes
		this.end = true;
		notifyOf(answer);
	}

	/** The answer of a call, also if that can't be made. */
	static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> call) {
		try {
			return call.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void notifyOf(CompletableFuture<?> answer) {
		notifyOf(answer, this.answered);
	}

	static void notifyOf(CompletableFuture<?> answer, Runnable answered) {
		if (!answer.isDone()) {
			CompletableFuture<?> unused = answer.whenComplete((value, ex) -> answered.run());
		}
	}

	private void collectRead(long nanos) {
		Read reading = this.read;
		if (reading == null || !(reading.answer().isDone() || nanos - reading.since() >= CALL_LIMIT)) {
			return;
		}
		this.read = null;
		try {
			List<StoredFollowUp> next = result(reading.answer());
			if (!next.isEmpty()) {
				this.end = false;
				this.after = next.get(next.size() - 1).number();
				this.reached = Math.max(this.reached, this.after);
				send(next, new HashSet<>(reading.removing()), nanos);
			}
		}
		catch (RuntimeException ex) {
			this.failed = true;
			this.enqueued.addAll(0, reading.removing());
			this.targets.addAll(reading.targets());
			refuse(null, ex);
		}
	}

	private void send(List<StoredFollowUp> next, Set<Long> removed, long nanos) {
		Map<Shard, List<StoredFollowUp>> byShard = new LinkedHashMap<>();
		this.sentAt = nanos;
		for (StoredFollowUp each : next) {
			String queue = each.followUp().queue();
			if (removed.contains(each.number())) {
				continue;
			}
			QueueLayout layout = this.mover.layout(queue);
			if (layout == null && !this.closed.contains(queue) && !this.calls.containsKey(queue)) {
				call(queue, List.of(), begun(() -> this.mover.lookUp(queue)), nanos);
			}
			// One that is found meanwhile is for the next round: earlier ones go first
			Object target = (layout != null && !this.calls.containsKey(queue))
					? layout.shardOf(each.followUp().payload().id()) : queue;
			if (target instanceof Shard shard && !this.closed.contains(queue) && !this.closed.contains(shard)) {
				byShard.computeIfAbsent(shard, (first) -> new ArrayList<>()).add(each);
			}
			else if (this.calls.containsKey(target)) {
				this.slow.computeIfAbsent(target, (first) -> new HashSet<>()).add(each.number());
			}
			else {
				refused(each.number());
			}
		}
		byShard.forEach((shard, some) -> {
			List<Long> numbers = some.stream().map(StoredFollowUp::number).toList();
			forgetSlow(shard, numbers);
			call(shard, numbers,
					begun(() -> this.mover.enqueue(this.lease, shard, some, this.forgotten.getOrDefault(shard, 0L))),
					nanos);
		});
	}

	private void call(Object target, List<Long> numbers, CompletableFuture<?> answer, long nanos) {
		this.calls.put(target, new Call(numbers, answer, nanos));
		notifyOf(answer);
	}

	private void collectCalls(long nanos) {
		for (Object target : List.copyOf(this.calls.keySet())) {
			Call call = this.calls.get(target);
			if (call != null && call.isOver(nanos)) {
				this.calls.remove(target);
				ended(target, call);
			}
		}
	}

	private void ended(Object target, Call call) {
		try {
			if (result(call.answer()) instanceof EnqueueResult result && result.forgotten() != null) {
				// Only what is read from now on is certain not to be forgotten
				this.forgotten.put(target, result.forgotten());
				this.closed.add(target);
				this.again = true;
				return;
			}
			this.enqueued.addAll(call.numbers());
			if (target instanceof Shard shard) {
				this.targets.add(shard);
			}
			// What was left out meanwhile has to be read again
			this.again |= this.closed.contains(target) || this.slow.remove(target) != null;
		}
		catch (RuntimeException ex) {
			if (ex instanceof QueueClosedException && target instanceof Shard shard) {
				this.mover.forget(shard.queue());
			}
			call.numbers().forEach(this::refused);
			this.slow.getOrDefault(target, Set.of()).forEach(this::refused);
			refuse(target, ex);
		}
	}

	private void refused(long number) {
		this.lastRefused = Math.max(this.lastRefused, number);
	}

	private void refuse(@Nullable Object target, Throwable reason) {
		if (target != null) {
			this.closed.add(target);
			this.slow.remove(target);
		}
		if (this.refusal == null) {
			this.refusal = reason;
			this.retryAt = this.mover.nanoTime() + this.backoff.next();
		}
		this.problem = (this.problem != null) ? this.problem : reason;
	}

	/** All is well again when what was refused has been moved. */
	private void judge() {
		boolean isPassed = this.read == null && this.calls.isEmpty() && (isRead() || this.after >= this.lastRefused);
		if (this.problem != null && this.refusal == null && !this.failed && isPassed) {
			this.problem = null;
			this.lastRefused = 0;
			this.backoff.reset();
		}
	}

	private void forgetSlow(Shard target, List<Long> numbers) {
		Set<Long> waiting = this.slow.get(target);
		if (waiting != null && waiting.removeAll(numbers) && waiting.isEmpty()) {
			this.slow.remove(target);
		}
	}

	/** The value of an answer that is there, or comes too late. */
	static <T> T result(CompletableFuture<T> answer) {
		if (!answer.isDone()) {
			answer.cancel(true);
			throw new StoreTimeoutException(
					"No answer from the store for %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(CALL_LIMIT)), null);
		}
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

}
