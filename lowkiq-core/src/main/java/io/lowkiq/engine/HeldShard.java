package io.lowkiq.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.ShardStore;
import org.jspecify.annotations.Nullable;

/**
 * A shard under a lease of this node: what was fetched, what is performed, what has been
 * completed and not yet sent, and how the calls of the store stand. When the lease is
 * lost, or what was busy was put back, it is over and never used again; its performs run
 * to their end, but nothing of them is sent. Guarded by the {@link StateLock}.
 */
final class HeldShard {

	private final ServedShard shard;

	private final Session session;

	private Lease lease;

	/** The number of the last call that was made under the lease. */
	private long sequence;

	/** How many jobs are busy in the store, as far as the answers say. */
	private int busy;

	/** The number of the next follow-up. */
	private long nextFollowUp;

	private boolean calling;

	/** Whether the lease is being given back. */
	private boolean releasing;

	/** The number of the last call, also of those that acquired the shard again. */
	private long call;

	private long calledAt;

	/** Whether the answer of the last call was lost, and whether it was out of step. */
	private Doubt doubt = Doubt.NONE;

	/** What the call under way, or in doubt, sends. */
	private List<Completed> sent = List.of();

	/** What the next call sends, the oldest first, and since when it waits. */
	private List<Completed> completed = new ArrayList<>();

	private long completedSince;

	/** Fetched and not begun, in the order of the fetch. */
	private final Deque<Fetched> fetched = new ArrayDeque<>();

	/** Begun tasks, the oldest first, with the time of their begin. */
	private final Map<Task, Long> running = new LinkedHashMap<>();

	/** How many tasks of this shard are offered to the threads. */
	private int offered;

	private NextDue agenda;

	/** Whether the store is to be asked whatever the agenda says, and since when. */
	private boolean dirty;

	private long dirtySince;

	/**
	 * The suspect that is fetched, performed, or not surely completed, unless it is not
	 * waited for any more.
	 */
	private @Nullable String suspect;

	private int lastFetch;

	private record Fetched(Task task, long at) {
	}

	/** What is not known about the last call. */
	enum Doubt {

		/** It was answered. */
		NONE,

		/** Its answer was lost. */
		UNANSWERED,

		/** It was refused because the store remembers other calls than this node. */
		OUT_OF_STEP

	}

	/**
	 * A shard under a new lease.
	 * @param lastFollowUp the largest number of a follow-up in the store
	 */
	HeldShard(ServedShard shard, Session session, Lease lease, NextDue agenda, long lastFollowUp) {
		this.shard = shard;
		this.session = session;
		this.lease = lease;
		this.agenda = agenda;
		this.nextFollowUp = lastFollowUp + 1;
		// A message may have come while the shard was acquired
		dirty(agenda.askedAt());
	}

	ServedShard shard() {
		return this.shard;
	}

	Session session() {
		return this.session;
	}

	Lease lease() {
		return this.lease;
	}

	long sequence() {
		return this.sequence;
	}

	int busy() {
		return this.busy;
	}

	Doubt doubt() {
		return this.doubt;
	}

	boolean isCalling() {
		return this.calling;
	}

	/** Whether a call can be made: none is under way, and the last one was answered. */
	boolean isReady() {
		return !this.calling && this.doubt == Doubt.NONE;
	}

	/** How long the call under way has not been answered, in nanoseconds. */
	long calledFor(long nanos) {
		return nanos - this.calledAt;
	}

	/** The number of the last call. */
	long call() {
		return this.call;
	}

	/** Whether a call is under way. */
	boolean isCalling(long number) {
		return this.calling && this.call == number;
	}

	/**
	 * A call begins that sends what has been completed.
	 * @return its outcomes
	 */
	List<Outcome> beginCall(long nanos) {
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
	 * The call begins that gives the lease back: nothing is begun any more.
	 * @return the outcomes of what has been completed
	 */
	List<Outcome> beginRelease(long nanos) {
		List<Outcome> outcomes = beginCall(nanos);
		this.releasing = true;
		return outcomes;
	}

	boolean isReleasing() {
		return this.releasing;
	}

	/** The call that acquires the shard again begins. */
	void beginRecovery(long nanos) {
		this.calling = true;
		this.call++;
		this.calledAt = nanos;
	}

	/**
	 * The call was answered: its outcomes are applied and so many jobs were fetched.
	 * @return what was sent
	 */
	List<Completed> answered(int jobs, NextDue newAgenda) {
		this.calling = false;
		this.agenda = newAgenda;
		this.busy += jobs - this.sent.size();
		List<Completed> applied = this.sent;
		if (applied.stream().anyMatch((job) -> job.id().equals(this.suspect))) {
			this.suspect = null;
		}
		this.sent = List.of();
		return applied;
	}

	/** It is not known what became of the call. */
	void doubt(Doubt reason) {
		this.calling = false;
		this.doubt = reason;
	}

	/** The call, or the one that acquires the shard again, was not answered. */
	void unanswered() {
		this.calling = false;
		if (this.doubt == Doubt.NONE) {
			this.doubt = Doubt.UNANSWERED;
		}
	}

	/** The call in doubt was not applied: it is made again, under a new lease. */
	void goOn(Lease newLease, NextDue newAgenda) {
		this.calling = false;
		this.releasing = false;
		this.doubt = Doubt.NONE;
		this.lease = newLease;
		this.sequence = 0;
		this.agenda = newAgenda;
		dirty(newAgenda.askedAt());
		this.completed.addAll(this.sent);
		this.sent = List.of();
	}

	boolean hasCompleted() {
		return !this.completed.isEmpty();
	}

	private void complete(List<Completed> jobs, long nanos) {
		if (this.completed.isEmpty()) {
			this.completedSince = nanos;
		}
		this.completed.addAll(jobs);
	}

	/**
	 * How long something has been waiting for the next call: a completed job, or a
	 * fetched one that nobody has begun.
	 * @return nanoseconds; -1 if nothing waits
	 */
	long waitedFor(long nanos) {
		long longest = this.completed.isEmpty() ? -1 : nanos - this.completedSince;
		Fetched oldest = this.fetched.peek();
		return (oldest != null) ? Math.max(longest, nanos - oldest.at()) : longest;
	}

	/** Has fetched jobs that nobody has begun for some time go back to the queue. */
	void returnNotBegunFor(long patience, long nanos) {
		Fetched oldest = this.fetched.peek();
		if (oldest == null || nanos - oldest.at() < patience) {
			return;
		}
		this.lastFetch = 1;
		for (Fetched next = oldest; next != null; next = this.fetched.peek()) {
			complete(next.task()
				.jobs()
				.stream()
				.map((job) -> new Completed(job.id(), List.of(new Outcome.Returned(job.id())), List.of()))
				.toList(), nanos);
			this.fetched.remove();
		}
	}

	void addFetched(Task task, long nanos) {
		this.fetched.add(new Fetched(task, nanos));
		task.jobs().stream().filter(HeldShard::isSuspect).forEach((job) -> this.suspect = job.id());
	}

	int fetchedTasks() {
		return this.fetched.size();
	}

	int runningTasks() {
		return this.running.size();
	}

	/** The task to begin next; null if none is left. */
	@Nullable Task nextTask() {
		Fetched next = this.fetched.peek();
		return (next != null) ? next.task() : null;
	}

	/** Begins the next task. */
	void begin(Task next, long nanos) {
		this.running.put(next, nanos);
		this.fetched.remove();
	}

	/**
	 * A task was performed.
	 * @return whether it was running under this lease
	 */
	boolean end(Task task, List<Completed> jobs, long nanos) {
		if (!this.running.containsKey(task)) {
			return false;
		}
		complete(jobs, nanos);
		this.running.remove(task);
		return true;
	}

	/** How long the oldest task has been running, in nanoseconds; -1 if none is. */
	long longestRunning(long nanos) {
		return this.running.isEmpty() ? -1 : nanos - this.running.values().iterator().next();
	}

	int offered() {
		return this.offered;
	}

	void offered(int change) {
		this.offered += change;
	}

	NextDue agenda() {
		return this.agenda;
	}

	boolean isDirty() {
		return this.dirty;
	}

	/** Since when the store is to be asked, by the store's time; the largest if not. */
	long dirtySince() {
		return this.dirty ? this.agenda.storeTime(this.dirtySince) : Long.MAX_VALUE;
	}

	/** A job may be due that the agenda doesn't name. */
	void dirty(long nanos) {
		if (!this.dirty) {
			this.dirty = true;
			this.dirtySince = nanos;
		}
	}

	/** The store is asked. */
	void clean() {
		this.dirty = false;
	}

	int lastFetch() {
		return this.lastFetch;
	}

	void lastFetch(int jobs) {
		this.lastFetch = jobs;
	}

	/**
	 * Whether a suspect that is fetched, performed, or not surely completed is waited
	 * for.
	 */
	boolean hasSuspect() {
		return this.suspect != null;
	}

	/**
	 * Nobody knows when a task will end: if it has the suspect, others don't wait for it.
	 */
	void awaitNoSuspectOf(Task task) {
		if (task.jobs().stream().anyMatch((job) -> job.id().equals(this.suspect))) {
			this.suspect = null;
		}
	}

	static boolean isSuspect(FetchedJob job) {
		return job.crashes() >= ShardStore.SUSPECT_AFTER;
	}

}
