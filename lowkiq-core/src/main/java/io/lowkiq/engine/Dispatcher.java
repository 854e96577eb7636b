package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler.Candidate;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings jobs and threads together: gives free threads the jobs that have been fetched,
 * fetches more when threads are free, and reports what has been completed. A slow job
 * occupies one thread and delays its own id only.
 * <p>
 * Calls about a shard are made one at a time, and each sends all that has been completed
 * and fetches, if there is a thread for it. The calls don't block: they are made by
 * whichever thread finds that one is due, and answered on a thread of the store.
 */
final class Dispatcher {

	private static final Logger logger = LoggerFactory.getLogger(Dispatcher.class);

	/**
	 * How long a completed job waits to be sent with others, and how long a fetched one
	 * waits for a thread before it goes back to the queue.
	 */
	private static final long PATIENCE = Duration.ofMillis(10).toNanos();

	/**
	 * A shard that is to move to another node is served on if a perform has been running
	 * for so long: nobody knows when it will end.
	 */
	private static final long LONG_PERFORM = Duration.ofSeconds(1).toNanos();

	private final StateLock lock;

	private final ShardStore store;

	private final ShardScheduler scheduler;

	private final Lifecycle lifecycle;

	private final StoreAvailability watch;

	private final LowkiqObserver observer;

	private final ServerSettings settings;

	private final LongSupplier nanoTime;

	/** Whether messages don't arrive, so shards must be polled. */
	private final BooleanSupplier deaf;

	private final ShardAttendant attendant;

	private final Leases leases;

	/** Given a shard in which follow-ups wait. */
	private final Consumer<ServedShard> followUps;

	private final TimeLimits limits;

	/** Signalled when a task can be begun, or the server becomes quiet. */
	private final Condition work;

	// All of the following is guarded by the lock

	/** Shards with tasks that can be begun, once for each task. */
	private final Deque<HeldShard> offered = new ArrayDeque<>();

	/** Shards that have something to fetch, as far as is known. */
	private final Set<ServedShard> fetchable = new LinkedHashSet<>();

	/** Shards with completed jobs that were not sent yet. */
	private final Set<ServedShard> completing = new LinkedHashSet<>();

	/** How many threads wait for a task. */
	private int idle;

	/** Fetches under way that will probably bring a task. */
	private final List<Expected> expected = new ArrayList<>();

	/** The shard that may fetch a suspect: one at a time on a node (rule 8). */
	private @Nullable HeldShard suspectHolder;

	/** Shards with suspects that wait until another one's has been completed. */
	private final Set<ServedShard> awaitingSuspect = new LinkedHashSet<>();

	private @Nullable Shard lastChosen;

	/**
	 * A fetch that will probably bring a task.
	 */
	private record Expected(HeldShard held, long call) {

		boolean isOver() {
			return this.held.shard().held() != this.held || !this.held.isCalling(this.call);
		}

	}

	Dispatcher(StateLock lock, ShardStore store, ShardScheduler scheduler, Lifecycle lifecycle, StoreAvailability watch,
			LowkiqObserver observer, ServerSettings settings, LongSupplier nanoTime, BooleanSupplier deaf,
			ShardAttendant attendant, Leases leases, Consumer<ServedShard> followUps) {
		this.lock = lock;
		this.store = store;
		this.scheduler = scheduler;
		this.lifecycle = lifecycle;
		this.watch = watch;
		this.observer = observer;
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.deaf = deaf;
		this.attendant = attendant;
		this.leases = leases;
		this.followUps = followUps;
		this.limits = new TimeLimits(lock, nanoTime);
		this.work = lock.newCondition();
	}

	/**
	 * Waits for a task to perform.
	 * @param activity what the thread does that asks
	 * @return the task; null if the server is quiet
	 */
	@Nullable Task take(ThreadActivity activity) {
		TakenTask taken = new TakenTask(activity);
		while (!taken.isOver) {
			try {
				this.lock.run(() -> take(taken));
			}
			catch (Throwable ex) {
				Unexpected.log("while looking for a job", ex);
				LockSupport.parkNanos(PATIENCE);
			}
		}
		return taken.task;
	}

	private static final class TakenTask {

		final ThreadActivity activity;

		@Nullable Task task;

		boolean isIdle;

		boolean isOver;

		TakenTask(ThreadActivity activity) {
			this.activity = activity;
		}

	}

	@SuppressWarnings("WaitNotInLoop") // the caller loops
	private void take(TakenTask taken) {
		taken.task = this.lifecycle.isQuiet() ? null : beginNext(taken.activity);
		if (taken.task != null || this.lifecycle.isQuiet()) {
			taken.isOver = true;
			this.idle -= taken.isIdle ? 1 : 0;
		}
		else if (!taken.isIdle) {
			taken.isIdle = true;
			this.idle++;
			dispatch();
		}
		else {
			this.work.awaitUninterruptibly();
		}
	}

	private @Nullable Task beginNext(ThreadActivity activity) {
		for (HeldShard next = this.offered.poll(); next != null; next = this.offered.poll()) {
			next.offered(-1);
			Task task = mayBegin(next) ? next.nextTask() : null;
			if (task != null) {
				long limit = this.limits.begin(next.shard(), task, activity);
				if (limit != Long.MAX_VALUE) {
					this.attendant.attendWithin(next.shard(), limit);
				}
				// Last, because nobody else knows of a task that has begun
				next.begin(task, this.nanoTime.getAsLong());
				return task;
			}
		}
		return null;
	}

	/** While a call is in doubt, it is not known whether the job is still to be done. */
	private boolean mayBegin(HeldShard held) {
		return held.shard().held() == held && held.doubt() == HeldShard.Doubt.NONE && held.session().isValid()
				&& !isLeaving(held) && !held.isReleasing();
	}

	/** Whether the shard is to move to another node as soon as nothing runs. */
	private boolean isLeaving(HeldShard held) {
		return this.lifecycle.isQuiet()
				|| (!held.shard().isWanted() && held.longestRunning(this.nanoTime.getAsLong()) < LONG_PERFORM);
	}

	/**
	 * A task was performed.
	 * @param served its shard
	 * @param task the task
	 * @param completed what became of its jobs
	 */
	void performed(ServedShard served, Task task, List<Completed> completed) {
		this.lock.run(() -> {
			this.limits.ended(served, task);
			HeldShard held = served.held();
			if (held == null || !held.end(task, completed, this.nanoTime.getAsLong())) {
				served.strayEnded();
			}
			this.attendant.changed(served);
		});
	}

	/** A job of the shard may be due. */
	void wake(ServedShard shard) {
		this.lock.run(() -> {
			HeldShard held = shard.held();
			if (held != null) {
				held.dirty(this.nanoTime.getAsLong());
				this.attendant.attend(shard);
			}
		});
	}

	/** The server has become quiet. */
	void quiet() {
		this.lock.run(this.work::signalAll);
	}

	/**
	 * Does what is due for a shard; with the lock only.
	 * @return how long until something will be, in nanoseconds
	 */
	long attend(ServedShard shard) {
		return Math.min(this.limits.attend(shard), attendToJobs(shard));
	}

	private long attendToJobs(ServedShard shard) {
		this.fetchable.remove(shard);
		this.completing.remove(shard);
		releaseSuspect();
		HeldShard held = shard.held();
		if (held == null || held.doubt() != HeldShard.Doubt.NONE || !held.session().isValid()) {
			return Long.MAX_VALUE;
		}
		offer(held);
		if (!held.isReady()) {
			return Long.MAX_VALUE;
		}
		long nanos = this.nanoTime.getAsLong();
		if (held.waitedFor(nanos) >= PATIENCE) {
			held.returnNotBegunFor(PATIENCE, nanos);
			if (held.hasCompleted()) {
				call(held, 0, false);
				return Long.MAX_VALUE;
			}
		}
		if (held.hasCompleted()) {
			this.completing.add(shard);
		}
		long untilFetch = nanosUntilFetch(held, nanos);
		if (untilFetch <= 0) {
			this.fetchable.add(shard);
			untilFetch = Long.MAX_VALUE;
		}
		long waited = held.waitedFor(nanos);
		long untilCall = (waited >= 0) ? Math.min(untilFetch, PATIENCE - waited) : untilFetch;
		long longest = shard.isWanted() ? -1 : held.longestRunning(nanos);
		return (longest >= 0 && longest < LONG_PERFORM) ? Math.min(untilCall, LONG_PERFORM - longest) : untilCall;
	}

	/** Offers tasks to the threads, no more at a time than the worker allows. */
	private void offer(HeldShard held) {
		int limit = shardConcurrency(held);
		while (held.offered() < held.fetchedTasks() && held.offered() + held.runningTasks() < limit
				&& !isLeaving(held)) {
			this.offered.add(held);
			held.offered(1);
			this.work.signal();
		}
	}

	private static int shardConcurrency(HeldShard held) {
		int configured = held.shard().queue().worker().settings().shardConcurrency();
		return (configured == 0) ? Integer.MAX_VALUE : configured;
	}

	private long nanosUntilFetch(HeldShard held, long nanos) {
		if (isLeaving(held) || held.shard().hasStrays()
				|| held.runningTasks() + held.fetchedTasks() >= shardConcurrency(held)) {
			return Long.MAX_VALUE;
		}
		if (held.isDirty()) {
			return 0;
		}
		NextDue agenda = held.agenda();
		long left = agenda.dueAt() - nanos;
		if (mayFetchSuspect(held)) {
			left = Math.min(left, agenda.suspectAt() - nanos);
		}
		else if (agenda.nextSuspect() != FetchResult.NOTHING && this.suspectHolder != held) {
			this.awaitingSuspect.add(held.shard());
		}
		if (this.deaf.getAsBoolean()) {
			left = Math.min(left, this.settings.pollInterval().toNanos() - (nanos - agenda.askedAt()));
		}
		return left;
	}

	/** One suspect at a time on a node (rule 8). */
	private boolean mayFetchSuspect(HeldShard held) {
		return (this.suspectHolder == null || this.suspectHolder == held) && !held.hasSuspect();
	}

	/**
	 * Makes calls while threads are free; with the lock only. Outcomes of shards for
	 * which it is not the moment to fetch go with a later call, unless threads are left.
	 */
	void dispatch() {
		this.expected.removeIf(Expected::isOver);
		int capacity = this.idle - this.offered.size() - this.expected.size();
		if (capacity <= 0 || this.lifecycle.isQuiet() || (this.fetchable.isEmpty() && this.completing.isEmpty())) {
			return;
		}
		int share = Math.max(1, (capacity + this.fetchable.size() - 1) / Math.max(1, this.fetchable.size()));
		List<ServedShard> chosen = (capacity >= this.fetchable.size()) ? List.copyOf(this.fetchable) : choose(capacity);
		chosen.forEach((shard) -> call(shard, share));
		if (capacity > chosen.size()) {
			List.copyOf(this.completing).forEach((shard) -> call(shard, share));
		}
	}

	private void call(ServedShard shard, int share) {
		boolean probable = this.fetchable.remove(shard);
		this.completing.remove(shard);
		HeldShard held = shard.held();
		if (held == null || !held.isReady()) {
			return;
		}
		int free = shardConcurrency(held) - held.runningTasks() - held.fetchedTasks();
		boolean mayFetch = !isLeaving(held) && !shard.hasStrays();
		call(held, mayFetch ? Math.min(share, free) : 0, probable);
	}

	/** Has the scheduler choose some of the shards that have something to fetch. */
	private List<ServedShard> choose(int number) {
		long nanos = this.nanoTime.getAsLong();
		List<ServedShard> shards = new ArrayList<>(this.fetchable);
		List<Candidate> candidates = new ArrayList<>(shards.size());
		for (ServedShard shard : shards) {
			candidates.add(candidate(shard, nanos));
		}
		List<ServedShard> chosen = new ArrayList<>(number);
		for (int i = 0; i < number; i++) {
			int place = choose(candidates);
			candidates.remove(place);
			ServedShard next = shards.remove(place);
			this.lastChosen = next.shard();
			chosen.add(next);
		}
		return chosen;
	}

	private int choose(List<Candidate> candidates) {
		try {
			int place = candidates
				.indexOf(this.scheduler.choose(Collections.unmodifiableList(candidates), this.lastChosen));
			if (place >= 0) {
				return place;
			}
			this.lock.afterwards(() -> logger
				.error("The shard scheduler chose a shard that it was not offered; using the first one"));
		}
		catch (Throwable ex) {
			this.lock.afterwards(() -> logger.error("The shard scheduler threw an exception; using the first shard",
					PrintableThrowable.of(ex)));
		}
		return 0;
	}

	private static Candidate candidate(ServedShard shard, long nanos) {
		HeldShard held = shard.held();
		if (held == null) {
			return new Candidate(shard.shard(), Long.MAX_VALUE);
		}
		NextDue agenda = held.agenda();
		long known = Math.min(agenda.next(), held.dirtySince());
		return new Candidate(shard.shard(), Math.min(known, agenda.storeTime(nanos)));
	}

	/**
	 * Makes a call.
	 * @param tasks the number of tasks there are threads for; 0 to fetch nothing
	 * @param probable whether the answer will probably bring a task
	 */
	private void call(HeldShard held, int tasks, boolean probable) {
		if (tasks <= 0 && !held.hasCompleted()) {
			return;
		}
		Fetch fetch = (tasks > 0) ? fetch(held, tasks) : Fetch.NONE;
		int busy = held.busy();
		List<Outcome> outcomes = held.beginCall(this.nanoTime.getAsLong());
		Lease lease = held.lease();
		long sequence = held.sequence();
		long call = held.call();
		if (fetch.jobs() > 0) {
			held.clean();
			held.lastFetch(fetch.jobs());
		}
		this.lock.call(() -> this.store.completeAndFetch(lease, sequence, busy, outcomes, fetch),
				(result, problem) -> answered(held, call, fetch, result, problem));
		if (probable) {
			this.expected.add(new Expected(held, call));
		}
	}

	private Fetch fetch(HeldShard held, int tasks) {
		ServedQueue queue = held.shard().queue();
		int jobs = Math.max(queue.nextFetch(held.lastFetch()), tasks * queue.batchSize());
		jobs = Math.min(jobs, Math.max(queue.batchSize(), this.settings.fetchAhead()));
		boolean suspects = mayFetchSuspect(held) && held.agenda().suspectAt() - this.nanoTime.getAsLong() <= 0;
		if (suspects) {
			this.suspectHolder = held;
		}
		return new Fetch(jobs, queue.worker().settings().maxPayloads(), suspects);
	}

	/** An answer that comes after the call was given up changes nothing. */
	private void answered(HeldShard held, long call, Fetch fetch, @Nullable FetchResult result,
			@Nullable Throwable problem) {
		if (held.shard().held() == held && held.isCalling(call)) {
			try {
				answered(held, fetch, result, problem);
			}
			catch (Throwable ex) {
				Unexpected.log("while accepting fetched jobs, which are put back", ex);
				held.doubt(HeldShard.Doubt.OUT_OF_STEP);
			}
		}
		this.attendant.attend(held.shard());
	}

	private void answered(HeldShard held, Fetch fetch, @Nullable FetchResult result, @Nullable Throwable problem) {
		if (result != null) {
			answered(held, fetch, result);
		}
		else {
			this.leases.unanswered(held, problem);
		}
	}

	private void answered(HeldShard held, Fetch fetch, FetchResult result) {
		ServedShard shard = held.shard();
		shard.answered();
		this.watch.succeeded(shard);
		if (result instanceof FetchResult.Fetched fetched) {
			fetched(held, fetch, fetched);
		}
		else if (result instanceof FetchResult.Fenced) {
			this.leases.fenced(held);
		}
		else {
			held.doubt(HeldShard.Doubt.OUT_OF_STEP);
		}
	}

	private void fetched(HeldShard held, Fetch fetch, FetchResult.Fetched fetched) {
		long nanos = this.nanoTime.getAsLong();
		List<Completed> applied = held.answered(fetched.jobs().size(),
				NextDue.of(fetched.next(), fetched.nextSuspect(), fetched.now(), nanos));
		if (applied.stream().anyMatch((job) -> !job.followUps().isEmpty())) {
			this.followUps.accept(held.shard());
		}
		if (fetched.buried() > 0) {
			String queue = held.shard().queue().name();
			this.lock.afterwards(() -> this.observer.buried(queue, fetched.buried()));
			this.lock.afterwards(() -> applied.forEach((job) -> job.report(this.observer, queue)));
		}
		if (fetch.jobs() > 0 && fetched.jobs().size() >= fetch.jobs()) {
			// Only a fetch that finds less than it asked for makes the store wake the
			// node
			held.dirty(nanos);
		}
		List<FetchedJob> jobs = fetched.jobs();
		int batchSize = held.shard().queue().batchSize();
		for (int begin = 0; begin < jobs.size();) {
			int size = HeldShard.isSuspect(jobs.get(begin)) ? 1 : batchSize;
			int end = Math.min(begin + size, jobs.size());
			held.addFetched(task(held, jobs.subList(begin, end), nanos), nanos);
			begin = end;
		}
	}

	private Task task(HeldShard held, List<FetchedJob> jobs, long nanos) {
		Session session = held.session();
		return new Task(held.shard().queue(), held.lease(), session::isValid, session, jobs,
				(id) -> this.store.isQueued(held.shard().shard(), id), nanos);
	}

	/** Lets another shard fetch a suspect when there is none of this one any more. */
	private void releaseSuspect() {
		HeldShard holder = this.suspectHolder;
		if (holder != null && (holder.shard().held() != holder || (holder.isReady() && !holder.hasSuspect()))) {
			this.suspectHolder = null;
			List<ServedShard> awaiting = List.copyOf(this.awaitingSuspect);
			this.awaitingSuspect.clear();
			awaiting.forEach(this.attendant::attend);
		}
	}

}
