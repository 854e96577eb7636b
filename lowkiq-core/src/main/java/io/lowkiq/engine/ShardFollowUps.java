package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
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
import io.lowkiq.store.EnqueuedFollowUps;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NextFollowUps;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Remembered;
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

	/** Calls that have enqueued follow-ups which are not removed yet. */
	private List<EnqueuedFollowUps> enqueued = new ArrayList<>();

	/** The memory of each target before the last read began. */
	private final Map<Shard, Remembered> remembered = new HashMap<>();

	/** Lets the targets forget when nothing has waited for a while. */
	private final OriginCleanup cleanup;

	/** The number after which the next read begins, and the largest number read. */
	private long after;

	private long reached;

	private long sentAt;

	/** Whether nothing more waited after the last number. */
	private boolean end = true;

	/** Whether reading has failed, so that it is over until the next round. */
	private boolean failed;

	/** Whether a slow call has ended, so that another round is needed. */
	private boolean again;

	/** Whether it is certain that nothing waits, since all was read after a while. */
	private boolean sure;

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
	 * @param followUps what it enqueues
	 * @param answer its answer
	 * @param since when it was made
	 */
	private record Call(List<StoredFollowUp> followUps, CompletableFuture<?> answer, long since) {

		List<Long> numbers() {
			return this.followUps.stream().map(StoredFollowUp::number).toList();
		}

		boolean isOver(long nanos) {
			return this.answer.isDone() || nanos - this.since >= CALL_LIMIT;
		}

	}

	private record Read(List<EnqueuedFollowUps> removing, CompletableFuture<NextFollowUps> answer, long since) {
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
		this.sure = false;
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
		return this.calls.values().stream().mapToInt((call) -> call.followUps().size()).sum()
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
				if (this.sure) {
					this.cleanup.next(this.reached);
					continue;
				}
				// A failover may have brought some back
				this.sure = true;
				readNext(nanos);
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
		List<EnqueuedFollowUps> removing = this.enqueued;
		this.enqueued = new ArrayList<>();
		if (this.calls.isEmpty() && this.refusal == null && this.problem == null) {
			// Nothing is left behind, unless a failover has brought it back
			this.after = 0;
		}
		CompletableFuture<NextFollowUps> answer = begun(() -> this.mover.next(this.lease, removing, this.after));
		this.read = new Read(removing, answer, nanos);
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
			NextFollowUps next = result(reading.answer());
			if (next.forgotten()) {
				fail(new StoreException(
						"A failover has forgotten follow-ups of shard %s that were enqueued. They are enqueued again"
							.formatted(this.lease.shard()),
						null));
			}
			else if (!next.isEmpty()) {
				this.end = false;
				this.sure = false;
				this.cleanup.postpone();
				this.after = next.lastNumber();
				this.reached = Math.max(this.reached, this.after);
				send(next, nanos);
			}
		}
		catch (RuntimeException ex) {
			this.enqueued.addAll(0, reading.removing());
			fail(ex);
		}
	}

	/** Ends the round: nothing more is read in it. */
	private void fail(RuntimeException reason) {
		this.failed = true;
		refuse(null, reason);
	}

	private void send(NextFollowUps next, long nanos) {
		Map<Shard, List<StoredFollowUp>> byShard = new LinkedHashMap<>();
		Iterator<NextFollowUps.Unreadable> unreadable = next.unreadable().iterator();
		NextFollowUps.Unreadable wrong = nextOf(unreadable);
		this.sentAt = nanos;
		for (StoredFollowUp each : next.followUps()) {
			for (; wrong != null && wrong.number() < each.number(); wrong = nextOf(unreadable)) {
				holdUp(wrong);
			}
			if (this.failed) {
				break;
			}
			String queue = each.followUp().queue();
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
		for (; wrong != null; wrong = nextOf(unreadable)) {
			holdUp(wrong);
		}
		byShard.forEach((shard, some) -> {
			forgetSlow(shard, some);
			call(shard, some, begun(() -> this.mover.enqueue(this.lease, shard, some, remembered(shard))), nanos);
		});
	}

	private static <T> @Nullable T nextOf(Iterator<T> some) {
		return some.hasNext() ? some.next() : null;
	}

	/**
	 * Lets later follow-ups wait for an unreadable one, since they would make it look
	 * like a repetition: those for its queue; if that can't be read either, all.
	 */
	private void holdUp(NextFollowUps.Unreadable wrong) {
		String queue = wrong.queue();
		StoreException reason = new StoreException(
				"Follow-up %d in shard %s can't be read. It was written by a newer version, or changed by hand; later ones of its shard%s wait for it"
					.formatted(wrong.number(), this.lease.shard(), (queue != null) ? " for queue " + queue : ""),
				null);
		refused(wrong.number());
		if (queue != null) {
			refuse(queue, reason);
		}
		else {
			fail(reason);
		}
	}

	private Remembered remembered(Shard target) {
		return this.remembered.getOrDefault(target, Remembered.NOTHING);
	}

	private void call(Object target, List<StoredFollowUp> some, CompletableFuture<?> answer, long nanos) {
		this.calls.put(target, new Call(some, answer, nanos));
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
			Object result = result(call.answer());
			if (target instanceof Shard shard && result instanceof EnqueueResult enqueue) {
				if (enqueue.remembered() != null) {
					// Only what is read from now on is certain to leave none out
					learn(shard, enqueue.remembered());
					this.closed.add(target);
					this.again = true;
					return;
				}
				this.enqueued.add(new EnqueuedFollowUps(shard, call.numbers()));
				learn(shard, remembered(shard).after(call.followUps().get(call.followUps().size() - 1).origin()));
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

	private void learn(Shard target, Remembered what) {
		// A later lease is none of this one's past: the mover looks into it each time
		if (what.epoch() <= this.lease.epoch()) {
			this.remembered.put(target, what);
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
			this.retryAt = this.mover.nanoTime() + this.backoff.next(this.mover.random());
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

	private void forgetSlow(Shard target, List<StoredFollowUp> some) {
		Set<Long> waiting = this.slow.get(target);
		if (waiting != null && waiting.removeAll(some.stream().map(StoredFollowUp::number).toList())
				&& waiting.isEmpty()) {
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
