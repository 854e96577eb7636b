package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.lowkiq.engine.lease.CallUncertainty;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.NextDue;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.runtime.Unexpected;
import io.lowkiq.engine.runtime.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Brings jobs and threads together: offers fetched tasks to threads, and has the fetcher
 * call the store for shards while threads are free. Guarded by the {@link StateLock}.
 */
final class Dispatcher {

	/**
	 * How long a completed job waits to be sent with others, and how long a fetched one
	 * waits for a thread before it goes back to the queue.
	 */
	private static final long MAX_DELAY = Duration.ofMillis(10).toNanos();

	/**
	 * From this age of a run on, a shard that is to move to another node is served on:
	 * nobody knows when the run will end.
	 */
	private static final long LONG_RUN = Duration.ofSeconds(1).toNanos();

	private final StateLock lock;

	private final Fetcher fetcher;

	private final Suspects suspects;

	private final RunningGroups groups;

	private final ShardChooser chooser;

	private final TimeLimits limits;

	private final Lifecycle lifecycle;

	private final LongSupplier nanoTime;

	/** Whether messages don't arrive, so shards must be polled. */
	private final BooleanSupplier polling;

	private final long pollInterval;

	/** Shards with tasks that can begin, once for each task. */
	private final Deque<HeldShard> offered = new ArrayDeque<>();

	/** Shards that have something to fetch, as far as is known. */
	private final Set<ServedShard> fetchable = new LinkedHashSet<>();

	/** Shards with completed jobs that were not sent yet. */
	private final Set<ServedShard> completing = new LinkedHashSet<>();

	/** Shards with jobs that are not with their groups yet. */
	private final Set<ServedShard> distributing = new LinkedHashSet<>();

	/** Threads that wait and have not been signalled, longest waiting first. */
	private final Deque<Seeker> waiting = new ArrayDeque<>();

	/** The number of threads that have no task. */
	private int idle;

	/** Fetches in progress that will probably bring a task. */
	private final List<Expected> expected = new ArrayList<>();

	/**
	 * A fetch that will probably bring a task.
	 */
	private record Expected(HeldShard held, long call) {

		boolean isOver() {
			return this.held.shard().held() != this.held || !this.held.isCalling(this.call);
		}

	}

	Dispatcher(StateLock lock, Fetcher fetcher, Suspects suspects, RunningGroups groups, ShardChooser chooser,
			Lifecycle lifecycle, LongSupplier nanoTime, BooleanSupplier polling, Duration pollInterval) {
		this.lock = lock;
		this.fetcher = fetcher;
		this.suspects = suspects;
		this.groups = groups;
		this.chooser = chooser;
		this.limits = new TimeLimits(lock, nanoTime);
		this.lifecycle = lifecycle;
		this.nanoTime = nanoTime;
		this.polling = polling;
		this.pollInterval = pollInterval.toNanos();
	}

	/**
	 * Waits for a task to perform.
	 * @param activity makes the thread that asks known to others
	 * @param waiter where the thread waits
	 * @return the task; null if the server is quiet
	 */
	@Nullable Task take(ThreadActivity activity, Waiter waiter) {
		Seeker seeker = new Seeker(activity, waiter);
		while (!seeker.isOver) {
			try {
				this.lock.run(() -> seek(seeker));
				if (!seeker.isOver) {
					waiter.awaitUninterruptibly();
				}
			}
			catch (Throwable ex) {
				Unexpected.log("while looking for a job", ex);
				waiter.awaitUninterruptibly(MAX_DELAY);
			}
		}
		return seeker.task;
	}

	private void seek(Seeker seeker) {
		boolean quiet = this.lifecycle.isQuiet();
		seeker.task = quiet ? null : beginNext(seeker.activity);
		if (seeker.task != null || quiet) {
			seeker.isOver = true;
			this.waiting.remove(seeker);
			this.idle -= seeker.isIdle ? 1 : 0;
			return;
		}
		if (!this.waiting.contains(seeker)) {
			this.waiting.add(seeker);
		}
		if (!seeker.isIdle) {
			seeker.isIdle = true;
			this.idle++;
			dispatch();
		}
	}

	private @Nullable Task beginNext(ThreadActivity activity) {
		for (HeldShard next = this.offered.poll(); next != null; next = this.offered.poll()) {
			next.offered(-1);
			Task task = mayBegin(next) ? next.nextTask() : null;
			if (task != null && this.groups.mustWait(next, task)) {
				next.returnNext(this.nanoTime.getAsLong());
				this.lock.changed(next.shard());
				continue;
			}
			if (task != null) {
				if (this.limits.begin(next.shard(), task, activity)) {
					// The time limit is a deadline of the shard
					this.lock.changed(next.shard());
				}
				this.groups.begins(next, task);
				// Last, because nobody else knows of a task that has begun
				next.begin(task, this.nanoTime.getAsLong());
				return task;
			}
		}
		return null;
	}

	/** While a call is uncertain, nobody knows whether the job is still to be done. */
	private boolean mayBegin(HeldShard held) {
		return held.shard().held() == held && held.uncertainty() == CallUncertainty.NONE && held.isValid()
				&& !isLeaving(held) && !held.isReleasing();
	}

	/** Whether the shard is to move to another node as soon as nothing runs. */
	private boolean isLeaving(HeldShard held) {
		return this.lifecycle.isQuiet() || held.shard().queue().isStopped()
				|| (!held.shard().isWanted() && held.longestRunning(this.nanoTime.getAsLong()) < LONG_RUN);
	}

	/**
	 * Accepts the results of a task.
	 * @param shard its shard
	 * @param task the task
	 * @param completed the results of its jobs
	 */
	void performed(ServedShard shard, Task task, List<Completed> completed) {
		this.lock.run(() -> {
			this.lock.changed(shard);
			this.limits.ended(shard, task);
			HeldShard held = shard.held();
			if (held == null || !held.end(task, completed, this.nanoTime.getAsLong())) {
				shard.orphanedRunEnded();
			}
			this.groups.changed(shard.queue());
		});
	}

	/** Wakes all idle threads, which end because the server has become quiet. */
	void quiet() {
		this.lock.run(() -> this.waiting.forEach((seeker) -> this.lock.afterwards(seeker.waiter::signal)));
	}

	/**
	 * Does what is due for the jobs of a shard; with the lock only.
	 * @return the time until something will be due, in nanoseconds
	 */
	long process(ServedShard shard) {
		return Math.min(this.limits.process(shard), processJobs(shard));
	}

	private long processJobs(ServedShard shard) {
		this.fetchable.remove(shard);
		this.completing.remove(shard);
		this.distributing.remove(shard);
		this.suspects.release();
		HeldShard held = shard.held();
		if (held == null || held.uncertainty() != CallUncertainty.NONE || !held.isValid()) {
			return Long.MAX_VALUE;
		}
		offer(held);
		if (!held.isReady()) {
			return Long.MAX_VALUE;
		}
		if (held.isCheckNeeded()) {
			this.fetcher.check(held);
			return Long.MAX_VALUE;
		}
		long nanos = this.nanoTime.getAsLong();
		if (held.waitedFor(nanos) >= MAX_DELAY) {
			held.returnNotBegunFor(MAX_DELAY, nanos);
			if (held.hasCompleted()) {
				this.fetcher.complete(held);
				return Long.MAX_VALUE;
			}
		}
		if (held.hasCompleted()) {
			this.completing.add(shard);
		}
		if (held.groups().undistributed() && mayFetch(held)) {
			this.distributing.add(shard);
		}
		long untilFetch = nanosUntilFetch(held, nanos);
		if (untilFetch <= 0) {
			this.fetchable.add(shard);
			untilFetch = Long.MAX_VALUE;
		}
		long waited = held.waitedFor(nanos);
		long untilCall = (waited >= 0) ? Math.min(untilFetch, MAX_DELAY - waited) : untilFetch;
		long longest = shard.isWanted() ? -1 : held.longestRunning(nanos);
		return (longest >= 0 && longest < LONG_RUN) ? Math.min(untilCall, LONG_RUN - longest) : untilCall;
	}

	/** Offers tasks to threads, no more at a time than the worker allows. */
	private void offer(HeldShard held) {
		int limit = shardConcurrency(held);
		while (held.offered() < held.fetchedTasks() && held.offered() + held.runningTasks() < limit
				&& !isLeaving(held)) {
			Seeker first = this.waiting.peek();
			if (first != null) {
				// Not under the lock, which the thread takes as soon as it is awake
				this.lock.afterwards(first.waiter::signal);
				this.waiting.remove();
			}
			this.offered.add(held);
			held.offered(1);
		}
	}

	private boolean mayFetch(HeldShard held) {
		return !isLeaving(held) && !held.shard().hasOrphanedRuns() && !held.isAheadOfFollowUps();
	}

	private static int shardConcurrency(HeldShard held) {
		int configured = held.shard().queue().worker().settings().shardConcurrency();
		return (configured == 0) ? Integer.MAX_VALUE : configured;
	}

	private static int free(HeldShard held) {
		return shardConcurrency(held) - held.runningTasks() - held.fetchedTasks();
	}

	private long nanosUntilFetch(HeldShard held, long nanos) {
		if (!mayFetch(held) || free(held) <= 0) {
			return Long.MAX_VALUE;
		}
		long untilRoom = Math.max(held.untilRoom(nanos), this.groups.untilStarts(held));
		return Math.max(Math.max(untilRoom, held.untilFetch(nanos)), nanosUntilDue(held, nanos));
	}

	private long nanosUntilDue(HeldShard held, long nanos) {
		if (held.isFetchNeeded()) {
			return 0;
		}
		NextDue nextDue = held.nextDue();
		long left = Math.min(nextDue.dueAt() - nanos, this.groups.untilRoom(held));
		if (this.suspects.mayFetch(held)) {
			left = Math.min(left, Math.max(nextDue.suspectAt() - nanos, this.groups.untilSuspectHasRoom(held)));
		}
		else {
			this.suspects.await(held);
		}
		if (this.polling.getAsBoolean()) {
			left = Math.min(left, this.pollInterval - (nanos - nextDue.askedAt()));
		}
		return left;
	}

	/**
	 * Makes calls while threads are free; with the lock only. Outcomes of shards for
	 * which it is not the moment to fetch go with a later call, unless threads are left.
	 */
	void dispatch() {
		fetch();
		List.copyOf(this.distributing).forEach(this::distribute);
	}

	/** Gives jobs to their groups at once, also if no thread is free. */
	private void distribute(ServedShard shard) {
		this.distributing.remove(shard);
		HeldShard held = shard.held();
		if (held != null && held.isReady() && !this.lifecycle.isQuiet()) {
			this.fetchable.remove(shard);
			this.completing.remove(shard);
			this.fetcher.check(held);
		}
	}

	private void fetch() {
		this.expected.removeIf(Expected::isOver);
		int capacity = this.idle - this.offered.size() - this.expected.size();
		if (capacity <= 0 || this.lifecycle.isQuiet() || (this.fetchable.isEmpty() && this.completing.isEmpty())) {
			return;
		}
		int share = Math.max(1, (capacity + this.fetchable.size() - 1) / Math.max(1, this.fetchable.size()));
		List<ServedShard> chosen = (capacity >= this.fetchable.size()) ? List.copyOf(this.fetchable)
				: this.chooser.choose(this.fetchable, capacity);
		chosen.forEach((shard) -> call(shard, share));
		if (capacity > chosen.size()) {
			List.copyOf(this.completing).forEach((shard) -> call(shard, share));
		}
	}

	/**
	 * Calls the store for a shard, to fetch a share of the tasks there are threads for.
	 */
	private void call(ServedShard shard, int share) {
		HeldShard held = shard.held();
		if (held != null && !this.groups.mayFetch(held)) {
			// When other shards have been answered
			return;
		}
		boolean probable = this.fetchable.remove(shard);
		this.completing.remove(shard);
		if (held == null || !held.isReady()) {
			return;
		}
		int tasks = mayFetch(held) ? Math.min(share, free(held)) : 0;
		int room = held.room(this.nanoTime.getAsLong());
		if (tasks <= 0 || room <= 0) {
			this.fetcher.complete(held);
			return;
		}
		this.fetcher.completeAndFetch(held, tasks, room);
		if (probable) {
			this.expected.add(new Expected(held, held.call()));
		}
	}

	/** A thread that looks for a task. */
	private static final class Seeker {

		private final ThreadActivity activity;

		private final Waiter waiter;

		private @Nullable Task task;

		private boolean isIdle;

		private boolean isOver;

		Seeker(ThreadActivity activity, Waiter waiter) {
			this.activity = activity;
			this.waiter = waiter;
		}

	}

}
