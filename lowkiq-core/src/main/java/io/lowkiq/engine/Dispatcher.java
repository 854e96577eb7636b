package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.engine.lease.CallUncertainty;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.NextDue;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.ShardTasks;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.GroupWaits;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.runtime.Unexpected;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.engine.schedule.ShardTurns;
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
	 * From this age of a run on, a shard that is to move to another node is served on.
	 */
	private static final long LONG_RUN = Duration.ofSeconds(1).toNanos();

	private final StateLock lock;

	private final Fetcher fetcher;

	private final Suspects suspects;

	private final UngroupedJobs ungrouped;

	private final ShardChooser chooser;

	private final TimeLimits limits;

	private final Lifecycle lifecycle;

	private final LongSupplier nanoTime;

	private final BooleanSupplier polling;

	private final long pollInterval;

	/** Shards with tasks that can begin, once for each task. */
	private final Deque<HeldShard> offered = new ArrayDeque<>();

	private final Set<ServedShard> fetchable = new LinkedHashSet<>();

	/** Shards with completed jobs that were not sent yet. */
	private final Set<ServedShard> completing = new LinkedHashSet<>();

	/** Shards with jobs that are not with their groups yet. */
	private final Set<ServedShard> distributing = new LinkedHashSet<>();

	/** Threads that wait and have not been signalled, longest waiting first. */
	private final Deque<Seeker> waiting = new ArrayDeque<>();

	private int idle;

	/** Fetches in progress that will probably bring a task. */
	private final List<Expected> expected = new ArrayList<>();

	/** A fetch that will probably bring a task. */
	private record Expected(HeldShard held, long call) {

		boolean isOver() {
			return this.held.shard().held() != this.held || !this.held.isCalling(this.call);
		}

	}

	Dispatcher(StateLock lock, Fetcher fetcher, Suspects suspects, UngroupedJobs ungrouped, ShardChooser chooser,
			Lifecycle lifecycle, LongSupplier nanoTime, BooleanSupplier polling, Duration pollInterval) {
		this.lock = lock;
		this.fetcher = fetcher;
		this.suspects = suspects;
		this.ungrouped = ungrouped;
		this.chooser = chooser;
		this.limits = new TimeLimits(lock, nanoTime);
		this.lifecycle = lifecycle;
		this.nanoTime = nanoTime;
		this.polling = polling;
		this.pollInterval = pollInterval.toNanos();
	}

	/** Waits for a task to perform; null if the server is quiet. */
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
			ShardTasks tasks = next.tasks();
			tasks.offered(-1);
			long nanos = this.nanoTime.getAsLong();
			Task task = mayBegin(next) ? tasks.nextTask() : null;
			if (task != null && mustWait(next, task, nanos)) {
				tasks.returnNext(nanos);
				this.lock.changed(next.shard());
				continue;
			}
			if (task != null) {
				if (this.limits.begin(next.shard(), task, activity)) {
					// The time limit is a deadline of the shard
					this.lock.changed(next.shard());
				}
				this.ungrouped.starts(next, task);
				noteProbe(next, task, nanos);
				// Last, because nobody else knows of a task that has begun
				tasks.begin(task, nanos);
				return task;
			}
		}
		return null;
	}

	/** Whether a group of the task was paused, or asked to wait, since the fetch. */
	private static boolean mustWait(HeldShard held, Task task, long nanos) {
		return held.turns().queue().areAny() && task.jobs()
			.stream()
			.map((job) -> held.turns().queue().settings().groupOf(job.id()))
			.anyMatch((group) -> held.turns().mustWait(group, nanos));
	}

	/** The first job of a group that has waited is a probe. */
	private static void noteProbe(HeldShard held, Task task, long nanos) {
		GroupWaits waits = held.shard().queue().groupWaits();
		if (waits.isAny()) {
			GroupPolicy groups = held.shard().queue().groups();
			task.jobs().forEach((job) -> waits.begin(groups.groupOf(job.id()), job.id(), nanos));
		}
	}

	/** While a call is uncertain, nobody knows whether the job is still to be done. */
	private boolean mayBegin(HeldShard held) {
		return held.shard().held() == held && held.uncertainty() == CallUncertainty.NONE && held.isValid()
				&& !isLeaving(held) && !held.isReleasing();
	}

	/** Whether the shard is to move to another node as soon as nothing runs. */
	private boolean isLeaving(HeldShard held) {
		return this.lifecycle.isQuiet() || held.shard().queue().isStopped()
				|| (!held.shard().isWanted() && held.tasks().longestRunning(this.nanoTime.getAsLong()) < LONG_RUN);
	}

	/** Accepts the results of a task. */
	void performed(ServedShard shard, Task task, List<Completed> completed) {
		this.lock.run(() -> {
			this.lock.changed(shard);
			this.limits.ended(shard, task);
			HeldShard held = shard.held();
			if (held == null || !held.tasks().end(task, completed, this.nanoTime.getAsLong())) {
				shard.orphanedRunEnded();
			}
		});
	}

	/** Wakes all idle threads, which end because the server has become quiet. */
	void quiet() {
		this.lock.run(() -> this.waiting.forEach((seeker) -> this.lock.afterwards(seeker.waiter::signal)));
	}

	/**
	 * Does what is due, and returns the nanoseconds until more is. With the lock only.
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
			return untilLate(held);
		}
		if (held.isCheckNeeded()) {
			this.fetcher.check(held);
			return Long.MAX_VALUE;
		}
		long nanos = this.nanoTime.getAsLong();
		if (held.tasks().waitedFor(nanos) >= MAX_DELAY) {
			held.returnNotBegunFor(MAX_DELAY, nanos);
			if (held.tasks().hasCompleted()) {
				this.fetcher.complete(held);
				return Long.MAX_VALUE;
			}
		}
		if (held.tasks().hasCompleted()) {
			this.completing.add(shard);
		}
		if (held.turns().areUndistributed() && mayFetch(held)) {
			this.distributing.add(shard);
		}
		long untilFetch = processFetch(held, nanos);
		long waited = held.tasks().waitedFor(nanos);
		long untilCall = (waited >= 0) ? Math.min(untilFetch, MAX_DELAY - waited) : untilFetch;
		long longest = shard.isWanted() ? -1 : held.tasks().longestRunning(nanos);
		return (longest >= 0 && longest < LONG_RUN) ? Math.min(untilCall, LONG_RUN - longest) : untilCall;
	}

	/** How long the other shards of the queue wait for the answer to a call. */
	private long untilLate(HeldShard held) {
		long left = held.turns().areAny() ? held.turns().untilLate(this.nanoTime.getAsLong()) : 0;
		return (left > 0) ? left : Long.MAX_VALUE;
	}

	/** Offers tasks to threads, no more at a time than the worker allows. */
	private void offer(HeldShard held) {
		ShardTasks tasks = held.tasks();
		int limit = shardConcurrency(held);
		while (tasks.offered() < tasks.fetchedTasks() && tasks.offered() + tasks.runningTasks() < limit
				&& !isLeaving(held)) {
			Seeker first = this.waiting.peek();
			if (first != null) {
				// Not under the lock, which the thread takes as soon as it is awake
				this.lock.afterwards(first.waiter::signal);
				this.waiting.remove();
			}
			this.offered.add(held);
			tasks.offered(1);
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
		return shardConcurrency(held) - held.tasks().runningTasks() - held.tasks().fetchedTasks();
	}

	/** Lets a shard wait for a thread if it has something to fetch. */
	private long processFetch(HeldShard held, long nanos) {
		if (!mayFetch(held) || free(held) <= 0) {
			held.tasks().limited(false, nanos);
			return Long.MAX_VALUE;
		}
		ShardTurns turns = held.turns();
		long untilInLimits = held.tasks().untilRoom(nanos);
		long untilAllowed = Math.max(Math.max(untilInLimits, turns.untilStarts(nanos)), held.untilFetch(nanos));
		long untilNews = nanosUntilNews(held, nanos);
		turns.news(untilNews <= 0);
		long untilRoom = turns.lookForRoom(nanos);
		held.tasks().limited(untilInLimits > 0 && (untilNews <= 0 || turns.areWaiting()), nanos);
		if (untilAllowed > 0) {
			long untilAny = turns.areWaiting() ? 0 : Math.min(untilNews, untilRoom);
			return Math.max(untilAllowed, untilAny);
		}
		if (untilNews <= 0 || turns.areWaiting()) {
			this.fetchable.add(held.shard());
			held.waits(nanos);
		}
		return Math.min((untilNews > 0) ? untilNews : Long.MAX_VALUE, untilRoom);
	}

	/** The time until a job may be due whose group is not known to wait. */
	private long nanosUntilNews(HeldShard held, long nanos) {
		if (held.isFetchNeeded()) {
			return 0;
		}
		NextDue nextDue = held.nextDue();
		boolean isKnown = held.turns().areWaiting() && nextDue.dueAt() - nextDue.askedAt() <= 0;
		long left = isKnown ? Long.MAX_VALUE : nextDue.dueAt() - nanos;
		if (this.suspects.mayFetch(held)) {
			left = Math.min(left, Math.max(nextDue.suspectAt() - nanos, held.tasks().untilSuspectHasRoom(nanos)));
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
		long nanos = this.nanoTime.getAsLong();
		Map<ShardTurns, ServedShard> inTurn = inTurn();
		List<QueueTurns> queues = inTurn.keySet().stream().map(ShardTurns::queue).distinct().toList();
		queues.forEach((queue) -> queue.beginRound(inTurn::containsKey, nanos));
		List<ServedShard> able = this.fetchable.stream()
			.filter((shard) -> !isInTurn(shard) || heldTurns(shard).isWorthAsking())
			.toList();
		int share = Math.max(1, (capacity + able.size() - 1) / Math.max(1, able.size()));
		List<ServedShard> chosen = (capacity >= able.size()) ? able : this.chooser.choose(able, capacity);
		Map<ServedShard, Integer> tasks = new LinkedHashMap<>();
		for (ServedShard shard : chosen) {
			if (isInTurn(shard)) {
				addInTurn(shard, share, nanos, inTurn, tasks);
			}
			else {
				tasks.put(shard, share);
			}
		}
		List<ShardTurns> unheardOf = queues.stream().flatMap((queue) -> Stream.ofNullable(queue.unheardOf())).toList();
		queues.forEach(QueueTurns::endRound);
		tasks.forEach(this::call);
		unheardOf.forEach((turns) -> distribute(Objects.requireNonNull(inTurn.get(turns))));
		if (capacity > chosen.size()) {
			List.copyOf(this.completing).forEach((shard) -> call(shard, share));
		}
	}

	private Map<ShardTurns, ServedShard> inTurn() {
		Map<ShardTurns, ServedShard> inTurn = new LinkedHashMap<>();
		for (ServedShard shard : this.fetchable) {
			if (isInTurn(shard)) {
				inTurn.put(heldTurns(shard), shard);
			}
		}
		return inTurn;
	}

	private static boolean isInTurn(ServedShard shard) {
		HeldShard held = shard.held();
		return held != null && held.turns().areAny();
	}

	private static ShardTurns heldTurns(ServedShard shard) {
		return Objects.requireNonNull(shard.held()).turns();
	}

	/**
	 * Within a queue, the groups decide: the shard scheduler has chosen only the queue.
	 */
	private static void addInTurn(ServedShard chosen, int share, long nanos, Map<ShardTurns, ServedShard> inTurn,
			Map<ServedShard, Integer> tasks) {
		for (int i = 0; i < share; i++) {
			ShardTurns next = chosen.turns().next(nanos);
			if (next == null) {
				return;
			}
			ServedShard served = Objects.requireNonNull(inTurn.get(next));
			if (i == 0 && !served.equals(chosen)) {
				Objects.requireNonNull(chosen.held()).passOn(Objects.requireNonNull(served.held()), nanos);
			}
			tasks.merge(served, 1, Integer::sum);
		}
	}

	private void call(ServedShard shard, int share) {
		HeldShard held = shard.held();
		boolean probable = this.fetchable.remove(shard);
		this.completing.remove(shard);
		if (held == null || !held.isReady()) {
			return;
		}
		int tasks = mayFetch(held) && held.turns().queue().mayFetch() ? Math.min(share, free(held)) : 0;
		int room = held.tasks().room(this.nanoTime.getAsLong());
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
