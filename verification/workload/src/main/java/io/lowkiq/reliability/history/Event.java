package io.lowkiq.reliability.history;

import java.util.List;

import io.lowkiq.store.job.Shard;

/**
 * Something that a process did or saw. Times are nanoseconds of the machine's monotonic
 * clock ({@link System#nanoTime()}), which all processes of one machine share: just
 * before what is about to happen, and just after what has happened. Payloads have numbers
 * that are unique over all processes; runs, calls and actions, in their process.
 */
public sealed interface Event {

	/** When it happened. */
	long time();

	/**
	 * A producer is about to enqueue a payload, or a node what follows a job. Written
	 * once per attempt.
	 *
	 * @param delay how long after the enqueue it is due, in milliseconds
	 */
	record EnqueueCalled(long time, String queue, String id, long payload, boolean defaultScore,
			long delay) implements Event {
	}

	/** The enqueue of a payload returned normally. */
	record EnqueueReturned(long time, long payload) implements Event {
	}

	/**
	 * A worker begins a job.
	 *
	 * @param epoch the fencing token
	 * @param payloads what it was given, in this order
	 */
	record PerformStarted(long time, long perform, Shard shard, String id, long epoch, int retryCount,
			List<Scored> payloads) implements Event {
	}

	/** A payload as a worker got it. */
	record Scored(long payload, double score) {
	}

	/**
	 * A worker is about to return or to throw.
	 *
	 * @param success whether nothing of the job is to be performed again
	 * @param leaseLost whether it knew that the lease is lost
	 * @param handled the payloads that were done or discarded, where it went payload by
	 * payload
	 * @param buried the payloads that were sent to the morgue by what the worker threw
	 * @param followUps the payloads that are to be enqueued with this outcome
	 */
	record PerformEnded(long time, long perform, boolean success, boolean leaseLost, List<Long> handled,
			List<Long> buried, List<Long> followUps) implements Event {

		/** Nothing follows. */
		public PerformEnded(long time, long perform, boolean success, boolean leaseLost, List<Long> handled,
				List<Long> buried) {
			this(time, perform, success, leaseLost, handled, buried, List.of());
		}

		/** All payloads share one fate, and nothing follows. */
		public PerformEnded(long time, long perform, boolean success, boolean leaseLost) {
			this(time, perform, success, leaseLost, List.of(), List.of());
		}

	}

	/**
	 * A worker is about to enqueue a payload on success of a job. It is enqueued only if
	 * the outcome of this perform says so.
	 */
	record OnSuccessCalled(long time, long perform, long payload, String queue, String id) implements Event {
	}

	/**
	 * A producer is about to enqueue a payload that is followed by another one.
	 *
	 * @param before the number of the payload that comes first
	 */
	record StepNamed(long time, long before, long payload, String queue, String id) implements Event {
	}

	/**
	 * The registry answered a heartbeat: the session lasts at least until
	 * {@code time + duration}.
	 *
	 * @param time just before the heartbeat before it was sent, or the session began
	 * @param duration the lease duration in nanoseconds
	 */
	record SessionHeld(long time, String session, long duration) implements Event {
	}

	/**
	 * The store gave a lease.
	 *
	 * @param restored the number of jobs put back from busy
	 */
	record LeaseAcquired(long time, Shard shard, String session, long epoch, int restored) implements Event {
	}

	/**
	 * An owner is about to complete jobs and to fetch, or to release the shard.
	 *
	 * @param release whether the call gives the lease back
	 * @param completed the ids of the jobs that were performed
	 */
	record OwnerCalled(long time, long call, Shard shard, long epoch, boolean release,
			List<String> completed) implements Event {
	}

	/** A call of an owner was answered, or given up. */
	record OwnerAnswered(long time, long call, Answer answer, List<String> fetched) implements Event {
	}

	/** The store's answer to an owner's call; without one, nobody knows. */
	enum Answer {

		APPLIED, REFUSED, NONE

	}

	/**
	 * An operator is about to do something.
	 *
	 * @param id the job's id; {@code *} for all of the queue
	 */
	record ActionCalled(long time, long number, Action action, String queue, String id) implements Event {
	}

	/** The action of an operator has been done. */
	record ActionReturned(long time, long number) implements Event {
	}

	/**
	 * The actions of operators, on queues, jobs and groups. A release corrects a job on
	 * hold before; a limit lets one job of a group run at a time.
	 */
	enum Action {

		PAUSE, RESUME, PERFORM_NOW, DELETE, RE_ENQUEUE, RELEASE, PAUSE_GROUP, LIMIT_GROUP, RESET_GROUP

	}

	/** The health of a node has changed. */
	record HealthSeen(long time, boolean up) implements Event {
	}

	/** A process is ready. */
	record ProcessUp(long time, String process) implements Event {
	}

	/** A process has ended. */
	record ProcessGone(long time, String process) implements Event {
	}

	/**
	 * A fault begins.
	 *
	 * @param process the process it hits; {@code *} for all
	 */
	record FaultBegun(long time, long fault, FaultKind kind, String process) implements Event {
	}

	/** A fault is over. */
	record FaultOver(long time, long fault) implements Event {
	}

	/** A payload is in the morgue at the end. */
	record FoundDead(long time, String queue, String id, long payload) implements Event {
	}

	/** A job is still queued or busy at the end. */
	record FoundLeft(long time, String queue, String id) implements Event {
	}

}
