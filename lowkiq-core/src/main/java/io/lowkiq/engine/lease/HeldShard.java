package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.schedule.GroupSettings;
import io.lowkiq.engine.schedule.FullGroups;
import io.lowkiq.engine.schedule.GroupStarts;
import io.lowkiq.engine.schedule.ShardLimits;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WaitingGroups;
import org.jspecify.annotations.Nullable;

/**
 * A shard under a lease of this node: its fetched, running and completed tasks, and the
 * state of its calls. When the lease is lost, or its busy jobs were restored, the object
 * is never used again; its runs continue to their end, but their results are not sent.
 * Guarded by the {@link StateLock}.
 */
public final class HeldShard {

	/** The maximum number of follow-ups on their way before no jobs are fetched. */
	static final int MAX_FOLLOW_UPS = 1_000;

	/** When to fetch again after jobs that could not begin. */
	private static final long PAUSE = Duration.ofMillis(10).toNanos();

	private final ServedShard shard;

	private final Session session;

	private Lease lease;

	/** The number of the last call that was made under the lease. */
	private long sequence;

	/** The number of busy jobs in the store, as far as its answers say. */
	private int busy;

	/** The number of the next follow-up. */
	private long nextFollowUp;

	/**
	 * The largest number of a follow-up that was read, and how many follow-ups up to it
	 * wait.
	 */
	private long reachedFollowUp;

	private int pendingFollowUps;

	private boolean calling;

	/** Whether the lease is being given back. */
	private boolean releasing;

	/** The number of the last call, including calls that acquired the shard again. */
	private long call;

	private long calledAt;

	/** The uncertainty about the last call. */
	private CallUncertainty uncertainty = CallUncertainty.NONE;

	/** The completed jobs in the call in progress, or in the uncertain one. */
	private List<Completed> sent = List.of();

	/**
	 * The completed jobs for the next call, oldest first, and since when they have been
	 * waiting.
	 */
	private List<Completed> completed = new ArrayList<>();

	private long completedSince;

	/** Fetched tasks that have not begun, in the order of the fetch. */
	private final Deque<Fetched> fetched = new ArrayDeque<>();

	/** Running tasks, oldest first, with the times at which they began. */
	private final Map<Task, Long> running = new LinkedHashMap<>();

	/** The number of tasks that are offered to threads. */
	private int offered;

	private NextDue nextDue;

	/** Whether to fetch whatever {@code nextDue} says, and since when. */
	private boolean fetchNeeded;

	private long fetchNeededSince;

	/** Whether to ask the store if the lease is current, with nothing to send. */
	private boolean checkNeeded;

	/** Whether the store has said that the lease is no longer current. */
	private boolean fenced;

	/** Written with the {@link StateLock}, read by performing threads. */
	private volatile boolean lost;

	/**
	 * The suspect that is fetched, running, or perhaps not completed, unless others no
	 * longer wait for it.
	 */
	private @Nullable String suspect;

	/** The suspect of the last fetch that may not begin by the limits of its group. */
	private @Nullable String returnedSuspect;

	private int lastFetch;

	/** Whether the call in progress fetches jobs. */
	private boolean fetching;

	private WaitingGroups groups = WaitingGroups.NONE;

	private final FullGroups fullGroups = new FullGroups();

	/** The share in the limits of the queue; null if it has none. */
	private @Nullable ShardLimits limits;

	/** The starts of each group. */
	private GroupStarts groupStarts;

	/**
	 * The groups of jobs that were fetched and could not begin, unless the store has
	 * found since that these groups wait.
	 */
	private final Set<String> groupsWithoutRoom = new LinkedHashSet<>();

	private long fetchNotBefore;

	private record Fetched(Task task, long at) {
	}

	/**
	 * A shard under a new lease.
	 * @param lastFollowUp the largest number of a follow-up in the store
	 */
	HeldShard(ServedShard shard, Session session, Lease lease, NextDue nextDue, long lastFollowUp) {
		this.shard = shard;
		this.session = session;
		this.lease = lease;
		this.nextDue = nextDue;
		this.fetchNotBefore = nextDue.askedAt();
		this.nextFollowUp = Math.max(lastFollowUp, 0) + 1;
		this.reachedFollowUp = this.nextFollowUp - 1;
		RegisteredWorker.Settings settings = shard.queue().worker().settings();
		this.limits = settings.limits().equals(Limits.NONE) ? null
				: new ShardLimits(settings.limits(), shard.shard().index(), settings.shards(), nextDue.askedAt());
		this.groupStarts = new GroupStarts(nextDue.askedAt());
		// A message may have come while the shard was acquired
		needFetch(nextDue.askedAt());
	}

	/** The lease continues that of another object: what that has saved up is kept. */
	void continues(HeldShard before) {
		this.limits = before.limits;
		this.groupStarts = before.groupStarts;
	}

	/** The shard. */
	public ServedShard shard() {
		return this.shard;
	}

	/** The session of the lease. */
	public Session session() {
		return this.session;
	}

	/** The lease. */
	public Lease lease() {
		return this.lease;
	}

	/** The number of the last call under the lease. */
	public long sequence() {
		return this.sequence;
	}

	/** The number of busy jobs in the store, as far as its answers say. */
	public int busy() {
		return this.busy;
	}

	/** The uncertainty about the last call. */
	public CallUncertainty uncertainty() {
		return this.uncertainty;
	}

	/**
	 * Notes how far the follow-ups have been moved.
	 * @param reached the largest number that was looked at
	 * @param pending how many of those, and of smaller ones, are on their way
	 * @return whether this changes {@link #isAheadOfFollowUps()}
	 */
	public boolean followUpsMoved(long reached, int pending) {
		boolean before = isAheadOfFollowUps();
		this.reachedFollowUp = reached;
		this.pendingFollowUps = pending;
		return before != isAheadOfFollowUps();
	}

	/**
	 * Whether so many follow-ups wait to be moved that no further jobs are fetched. Those
	 * that are refused don't count.
	 */
	public boolean isAheadOfFollowUps() {
		return Math.max(this.nextFollowUp - 1 - this.reachedFollowUp, 0) + this.pendingFollowUps > MAX_FOLLOW_UPS;
	}

	/** Whether a call is in progress. */
	boolean isCalling() {
		return this.calling;
	}

	/** Whether a call can be made: none is in progress, and the last one was answered. */
	public boolean isReady() {
		return !this.calling && this.uncertainty == CallUncertainty.NONE;
	}

	/** How long the call in progress has been unanswered, in nanoseconds. */
	long calledFor(long nanos) {
		return nanos - this.calledAt;
	}

	/** The number of the last call. */
	public long call() {
		return this.call;
	}

	/** Whether the call with a number is in progress. */
	public boolean isCalling(long number) {
		return this.calling && this.call == number;
	}

	/**
	 * Begins a call, which sends the completed jobs.
	 * @return its outcomes
	 */
	public List<Outcome> beginCall(long nanos) {
		List<Outcome> outcomes = new ArrayList<>(this.completed.size());
		for (Completed job : this.completed) {
			outcomes.addAll(job.allOutcomes(this.nextFollowUp));
			this.nextFollowUp += job.followUps().size();
		}
		List<Completed> next = new ArrayList<>();
		beginRecovery(nanos);
		this.sequence++;
		this.sent = this.completed;
		this.completed = next;
		return outcomes;
	}

	/**
	 * Begins the call that gives the lease back: no task begins any more.
	 * @return the outcomes of the completed jobs
	 */
	List<Outcome> beginRelease(long nanos) {
		List<Outcome> outcomes = beginCall(nanos);
		this.releasing = true;
		return outcomes;
	}

	/** Whether the lease is being given back. */
	public boolean isReleasing() {
		return this.releasing;
	}

	/** Begins the call that acquires the shard again. */
	void beginRecovery(long nanos) {
		this.checkNeeded = false;
		this.fetching = false;
		this.calling = true;
		this.call++;
		this.calledAt = nanos;
	}

	/**
	 * Ends the call: its outcomes are applied.
	 * @param jobs the number of fetched jobs
	 * @param newNextDue what the answer says of the next jobs
	 * @param nanos the present time
	 * @return the jobs whose outcomes were sent
	 */
	public List<Completed> answered(int jobs, NextDue newNextDue, long nanos) {
		this.shard.answered(this.lease, this.sequence, nanos);
		this.calling = false;
		this.nextDue = newNextDue;
		this.busy += jobs - this.sent.size();
		List<Completed> applied = this.sent;
		if (applied.stream().anyMatch((job) -> job.id().equals(this.suspect))) {
			this.suspect = null;
		}
		this.sent = List.of();
		return applied;
	}

	/** Notes what is not known about the call. */
	public void uncertain(CallUncertainty reason) {
		this.calling = false;
		this.uncertainty = reason;
	}

	/**
	 * Notes that there was no answer to the call, or to the request to acquire the shard
	 * again.
	 */
	void unanswered() {
		this.calling = false;
		if (this.uncertainty == CallUncertainty.NONE) {
			this.uncertainty = CallUncertainty.UNANSWERED;
		}
	}

	/**
	 * Continues under a new lease: the uncertain call was not applied. What it was to
	 * send goes first with the next call, since follow-ups keep their order.
	 */
	void resume(Lease newLease, NextDue newNextDue) {
		this.calling = false;
		this.releasing = false;
		this.uncertainty = CallUncertainty.NONE;
		this.lease = newLease;
		this.sequence = 0;
		this.nextDue = newNextDue;
		this.shard.leased(this);
		needFetch(newNextDue.askedAt());
		this.completed.addAll(0, this.sent);
		this.sent = List.of();
	}

	/** Notes that a failover may have forgotten the lease. */
	void needCheck() {
		this.checkNeeded = true;
	}

	/** Whether runs wait for a call that shows whether the lease is current. */
	public boolean isCheckNeeded() {
		return this.checkNeeded && !this.running.isEmpty();
	}

	/** Notes that the store has said that the lease is no longer current. */
	public void fenced() {
		this.fenced = true;
	}

	boolean isFenced() {
		return this.fenced;
	}

	/**
	 * Notes that the lease is lost, or that its busy jobs were restored.
	 * @return the runs, whose outcomes will not be applied
	 */
	Set<Task> lose() {
		this.lost = true;
		return Set.copyOf(this.running.keySet());
	}

	/**
	 * Whether the outcomes of runs will be applied, as far as is known. Thread-safe, and
	 * waits for no lock.
	 */
	public boolean isValid() {
		return !this.lost && this.session.isValid();
	}

	/** Whether completed jobs wait for the next call. */
	public boolean hasCompleted() {
		return !this.completed.isEmpty();
	}

	private void complete(List<Completed> jobs, long nanos) {
		if (this.completed.isEmpty()) {
			this.completedSince = nanos;
		}
		this.completed.addAll(jobs);
	}

	/**
	 * How long a completed job, or a fetched job that has not begun, has been waiting for
	 * the next call.
	 * @return nanoseconds; -1 if none is waiting
	 */
	public long waitedFor(long nanos) {
		long longest = this.completed.isEmpty() ? -1 : nanos - this.completedSince;
		Fetched oldest = this.fetched.peek();
		return (oldest != null) ? Math.max(longest, nanos - oldest.at()) : longest;
	}

	/** Returns fetched jobs that have not begun for some time to the queue. */
	public void returnNotBegunFor(long patience, long nanos) {
		Fetched oldest = this.fetched.peek();
		if (oldest == null || nanos - oldest.at() < patience) {
			return;
		}
		this.lastFetch = 1;
		for (Fetched next = oldest; next != null; next = this.fetched.peek()) {
			complete(next.task().jobs().stream().map(HeldShard::returned).toList(), nanos);
			this.fetched.remove();
		}
	}

	/** Returns the next task, which may not begin any more, to the queue. */
	public void returnNext(long nanos) {
		complete(this.fetched.remove().task().jobs().stream().map(HeldShard::returned).toList(), nanos);
	}

	/** Adds a fetched task. */
	public void addFetched(Task task, long nanos) {
		this.fetched.add(new Fetched(task, nanos));
		task.jobs().stream().filter(HeldShard::isSuspect).forEach((job) -> this.suspect = job.id());
	}

	/** The number of fetched tasks that have not begun. */
	public int fetchedTasks() {
		return this.fetched.size();
	}

	/** The number of tasks that are running. */
	public int runningTasks() {
		return this.running.size();
	}

	/** The next task to begin; null if none is left. */
	public @Nullable Task nextTask() {
		Fetched next = this.fetched.peek();
		return (next != null) ? next.task() : null;
	}

	/** Begins the next task. */
	public void begin(Task next, long nanos) {
		if (this.limits != null) {
			this.limits.begin(next.jobs().size(), nanos);
		}
		next.jobs().forEach((job) -> beginInGroup(job.id(), nanos));
		this.running.put(next, nanos);
		this.fetched.remove();
	}

	private void beginInGroup(String id, long nanos) {
		GroupSettings settings = this.shard.groups();
		String group = settings.groupOf(id);
		RateLimit rate = settings.rate(group);
		if (rate != null) {
			this.groupStarts.begin(group, rate, nanos);
		}
	}

	/**
	 * Ends a task.
	 * @return whether it was running under this lease
	 */
	public boolean end(Task task, List<Completed> jobs, long nanos) {
		if (!this.running.containsKey(task)) {
			return false;
		}
		complete(jobs, nanos);
		this.running.remove(task);
		return true;
	}

	/** How long the oldest task has been running, in nanoseconds; -1 if none is. */
	public long longestRunning(long nanos) {
		return this.running.isEmpty() ? -1 : nanos - this.running.values().iterator().next();
	}

	/** The number of tasks that are offered to threads. */
	public int offered() {
		return this.offered;
	}

	/** Changes the number of tasks that are offered to threads. */
	public void offered(int change) {
		this.offered += change;
	}

	/** When the shard has something to do, as the store said last. */
	public NextDue nextDue() {
		return this.nextDue;
	}

	/** Whether a job may be due that {@link #nextDue()} doesn't know. */
	public boolean isFetchNeeded() {
		return this.fetchNeeded;
	}

	/** Since when a fetch is needed, by the store's time; the largest if none is. */
	public long fetchNeededSince() {
		return this.fetchNeeded ? this.nextDue.storeTime(this.fetchNeededSince) : Long.MAX_VALUE;
	}

	/** Notes that a job may be due that {@link #nextDue()} doesn't know. */
	public void needFetch(long nanos) {
		if (!this.fetchNeeded) {
			this.fetchNeeded = true;
			this.fetchNeededSince = nanos;
		}
	}

	/** Notes that a call fetches jobs. */
	public void fetching(int jobs) {
		this.fetchNeeded = false;
		this.fetching = true;
		this.lastFetch = jobs;
	}

	/** Whether a call is in progress that fetches jobs. */
	public boolean isFetching() {
		return this.calling && this.fetching;
	}

	/** The starts that each group has saved up. */
	public GroupStarts groupStarts() {
		return this.groupStarts;
	}

	/** The groups that wait, as the store said last. */
	public WaitingGroups groups() {
		return this.groups;
	}

	/**
	 * Notes the groups that wait.
	 * @param turns the argument of the fetch; null if groups took no turns in it
	 */
	public void groups(WaitingGroups waiting, @Nullable GroupTurns turns) {
		this.groups = waiting;
		this.fullGroups.note(waiting, turns);
		waiting.full().forEach(this.groupsWithoutRoom::remove);
	}

	/** The groups that wait until they are named with room. */
	public FullGroups fullGroups() {
		return this.fullGroups;
	}

	/**
	 * The groups of jobs that were fetched and could not begin, so that the next calls
	 * have to name them.
	 */
	public Set<String> groupsWithoutRoom() {
		return this.groupsWithoutRoom;
	}

	/** The jobs that run under the lease, or are about to. */
	public Stream<FetchedJob> jobs() {
		return Stream.concat(this.running.keySet().stream().flatMap((task) -> task.jobs().stream()), notBegun());
	}

	/** The fetched jobs that have not begun. */
	public Stream<FetchedJob> notBegun() {
		return this.fetched.stream().flatMap((next) -> next.task().jobs().stream());
	}

	/** Returns jobs that were fetched, but may not begin, to the queue. */
	public void giveBack(List<FetchedJob> jobs, long nanos) {
		if (!jobs.isEmpty()) {
			this.fetchNotBefore = nanos + PAUSE;
			jobs.forEach((job) -> this.groupsWithoutRoom.add(this.shard.groups().groupOf(job.id())));
			complete(jobs.stream().map(HeldShard::returned).toList(), nanos);
		}
	}

	/**
	 * The time until jobs may be fetched, in nanoseconds: not at once after some came
	 * that could not begin.
	 */
	public long untilFetch(long nanos) {
		return this.fetchNotBefore - nanos;
	}

	private static Completed returned(FetchedJob job) {
		return new Completed(job.id(), List.of(new Outcome.Returned(job.id())), List.of());
	}

	/**
	 * The number of jobs that may be fetched by the limits of the queue; 0 or less for
	 * none.
	 */
	public int room(long nanos) {
		return (this.limits != null) ? this.limits.room(runningJobs(), fetchedJobs(), nanos) : Integer.MAX_VALUE;
	}

	/**
	 * The time until a job may be fetched by the limits of the queue, in nanoseconds; the
	 * largest number if a job must begin or end before.
	 */
	public long untilRoom(long nanos) {
		return (this.limits != null) ? this.limits.untilRoom(runningJobs(), fetchedJobs(), nanos) : 0;
	}

	private int runningJobs() {
		return this.running.keySet().stream().mapToInt((task) -> task.jobs().size()).sum();
	}

	private int fetchedJobs() {
		return this.fetched.stream().mapToInt((next) -> next.task().jobs().size()).sum();
	}

	/** The number of jobs that the last fetch asked for. */
	public int lastFetch() {
		return this.lastFetch;
	}

	/**
	 * Whether others wait for a suspect that is fetched, running, or perhaps not
	 * completed.
	 */
	public boolean hasSuspect() {
		return this.suspect != null;
	}

	/**
	 * Lets others no longer wait for a suspect that is in a task: nobody knows when that
	 * will end.
	 */
	public void awaitNoSuspectOf(Task task) {
		if (task.jobs().stream().anyMatch((job) -> job.id().equals(this.suspect))) {
			this.suspect = null;
		}
	}

	/**
	 * The suspect that the last fetch of one brought, and that may not begin by the
	 * limits of its group; null if there was none.
	 */
	public @Nullable String returnedSuspect() {
		return this.returnedSuspect;
	}

	/** Notes whether a fetched suspect may not begin by the limits of its group. */
	public void returnedSuspect(@Nullable String id) {
		this.returnedSuspect = id;
	}

	/** Whether a job is performed alone (rule 8). */
	public static boolean isSuspect(FetchedJob job) {
		return job.crashes() >= ShardStore.SUSPECT_AFTER;
	}

}
