package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.lowkiq.Limits;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.schedule.GroupSettings;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.engine.schedule.ShardLimits;
import io.lowkiq.engine.schedule.ShardTurns;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;
import org.jspecify.annotations.Nullable;

/** Fetched, running and completed under a lease. Guarded by the {@link StateLock}. */
public final class ShardTasks {

	/** By a rate, jobs are held back and let go in turn. */
	private static final long LATELY = Duration.ofSeconds(10).toNanos();

	private final ShardTurns turns;

	/** The share in the limits of the queue; null if it has none. */
	private @Nullable ShardLimits limits;

	/** Fetched tasks that have not begun, in the order of the fetch. */
	private final Deque<Fetched> fetched = new ArrayDeque<>();

	private final Map<Task, Running> running = new LinkedHashMap<>();

	private int offered;

	/** For the next call, oldest first. */
	private List<Completed> completed = new ArrayList<>();

	private long completedSince;

	/**
	 * Fetched, running, or perhaps not completed, unless others no longer wait for it.
	 */
	private @Nullable String suspect;

	/** The suspect of the last fetch that may not begin by the limits of its group. */
	private @Nullable String returnedSuspect;

	private boolean limited;

	/** When the limits last let a job go that they had held back; null for never. */
	private @Nullable Long limitedUntil;

	private record Fetched(Task task, QueueTurns.Turn turn, long at) {
	}

	private record Running(QueueTurns.Turn turn, long since) {
	}

	ShardTasks(RegisteredWorker.Settings settings, int shard, ShardTurns turns, long nanos) {
		this.turns = turns;
		this.limits = settings.limits().equals(Limits.NONE) ? null
				: new ShardLimits(settings.limits(), shard, settings.shards(), nanos);
	}

	/** The lease continues that of another object: what that has saved up is kept. */
	void continues(ShardTasks before) {
		this.limits = before.limits;
	}

	/** The lease is lost: the groups are charged no more. */
	Set<Task> lose() {
		this.fetched.forEach((next) -> next.turn().lose());
		this.running.values().forEach((run) -> run.turn().lose());
		return Set.copyOf(this.running.keySet());
	}

	public boolean hasCompleted() {
		return !this.completed.isEmpty();
	}

	public List<Completed> completed() {
		return this.completed;
	}

	/** Hands over the completed jobs to a call. */
	List<Completed> send() {
		List<Completed> next = new ArrayList<>();
		List<Completed> sent = this.completed;
		this.completed = next;
		return sent;
	}

	/** The call was not applied: what it was to send goes first with the next one. */
	void notSent(List<Completed> sent) {
		this.completed.addAll(0, sent);
	}

	void applied(List<Completed> jobs) {
		if (jobs.stream().anyMatch((job) -> job.id().equals(this.suspect))) {
			this.suspect = null;
		}
	}

	private void complete(List<Completed> jobs, long nanos) {
		if (this.completed.isEmpty()) {
			this.completedSince = nanos;
		}
		this.completed.addAll(jobs);
	}

	/** How many nanoseconds something has waited for the next call; -1 if nothing has. */
	public long waitedFor(long nanos) {
		long longest = this.completed.isEmpty() ? -1 : nanos - this.completedSince;
		Fetched oldest = this.fetched.peek();
		return (oldest != null) ? Math.max(longest, nanos - oldest.at()) : longest;
	}

	/** Returns fetched jobs that have not begun for some time to the queue. */
	boolean returnNotBegunFor(long patience, long nanos) {
		Fetched oldest = this.fetched.peek();
		if (oldest == null || nanos - oldest.at() < patience) {
			return false;
		}
		while (!this.fetched.isEmpty()) {
			returnNext(nanos);
		}
		return true;
	}

	/** Returns the next task, which may not begin any more, to the queue. */
	public void returnNext(long nanos) {
		Fetched next = this.fetched.element();
		giveBack(next.task().jobs(), nanos);
		this.fetched.remove();
		next.turn().giveBack();
	}

	/** Returns jobs that were fetched, but may not begin, to the queue. */
	void giveBack(List<FetchedJob> jobs, long nanos) {
		complete(jobs.stream()
			.map((job) -> new Completed(job.id(), List.of(new Outcome.Returned(job.id())), List.of()))
			.toList(), nanos);
	}

	public void addFetched(Task task, long nanos) {
		this.fetched.add(new Fetched(task, this.turns.queue().take(groups(task)), nanos));
		task.jobs().stream().filter(ShardTasks::isSuspect).forEach((job) -> this.suspect = job.id());
	}

	private List<String> groups(Task task) {
		GroupSettings settings = this.turns.queue().settings();
		return settings.policy().isAny() ? task.jobs().stream().map((job) -> settings.groupOf(job.id())).toList()
				: List.of();
	}

	/** The number of fetched tasks that have not begun. */
	public int fetchedTasks() {
		return this.fetched.size();
	}

	public int runningTasks() {
		return this.running.size();
	}

	/** The next task to begin; null if none is left. */
	public @Nullable Task nextTask() {
		Fetched next = this.fetched.peek();
		return (next != null) ? next.task() : null;
	}

	public void begin(Task task, long nanos) {
		Fetched next = this.fetched.element();
		if (this.limits != null) {
			this.limits.begin(task.jobs().size(), nanos);
		}
		groups(task).forEach((group) -> this.turns.start(group, nanos));
		next.turn().start(nanos);
		this.running.put(task, new Running(next.turn(), nanos));
		this.fetched.remove();
	}

	public boolean end(Task task, List<Completed> jobs, long nanos) {
		Running run = this.running.get(task);
		if (run == null) {
			return false;
		}
		complete(jobs, nanos);
		this.running.remove(task);
		run.turn().end(nanos);
		groups(task).forEach(this.turns::end);
		return true;
	}

	/** How long the oldest task has been running, in nanoseconds; -1 if none is. */
	public long longestRunning(long nanos) {
		return this.running.isEmpty() ? -1 : nanos - this.running.values().iterator().next().since();
	}

	/** The number of tasks that are offered to threads. */
	public int offered() {
		return this.offered;
	}

	public void offered(int change) {
		this.offered += change;
	}

	/** How many jobs the limits of the queue allow to fetch; 0 or less for none. */
	public int room(long nanos) {
		return (this.limits != null) ? this.limits.room(runningJobs(), fetchedJobs(), nanos) : Integer.MAX_VALUE;
	}

	/**
	 * The nanoseconds until then; the largest number if a job must begin or end before.
	 */
	public long untilRoom(long nanos) {
		return (this.limits != null) ? this.limits.untilRoom(runningJobs(), fetchedJobs(), nanos) : 0;
	}

	/** Notes whether the limits of the queue hold due jobs back. */
	public void limited(boolean now, long nanos) {
		if (this.limited && !now) {
			this.limitedUntil = nanos;
		}
		this.limited = now;
	}

	/** Whether the limits of the queue hold due jobs back, or have done so lately. */
	public boolean isLimited(long nanos) {
		Long until = this.limitedUntil;
		return this.limited || (until != null && nanos - until < LATELY);
	}

	private int runningJobs() {
		return jobs(this.running.keySet().stream());
	}

	private int fetchedJobs() {
		return jobs(this.fetched.stream().map(Fetched::task));
	}

	private static int jobs(Stream<Task> tasks) {
		return tasks.mapToInt((task) -> task.jobs().size()).sum();
	}

	public boolean hasSuspect() {
		return this.suspect != null;
	}

	/** Lets others no longer wait for a suspect: nobody knows when its task will end. */
	public void awaitNoSuspectOf(Task task) {
		if (task.jobs().stream().anyMatch((job) -> job.id().equals(this.suspect))) {
			this.suspect = null;
		}
	}

	/**
	 * The nanoseconds until the suspect that was returned may begin by the limits of its
	 * group; 0 if none was, the largest number if a job must end before.
	 */
	public long untilSuspectHasRoom(long nanos) {
		String id = this.returnedSuspect;
		return (id != null) ? this.turns.untilRoom(this.turns.queue().settings().groupOf(id), nanos) : 0;
	}

	public void returnedSuspect(@Nullable String id) {
		this.returnedSuspect = id;
	}

	/** Whether a job is performed alone (rule 8). */
	public static boolean isSuspect(FetchedJob job) {
		return job.crashes() >= ShardStore.SUSPECT_AFTER;
	}

}
