package io.lowkiq.reliability.history;

import java.util.List;

import io.lowkiq.store.job.Shard;

/**
 * Something that a process did or saw. Times are nanoseconds of the machine's monotonic
 * clock ({@link System#nanoTime()}), which all processes of one machine share.
 */
public sealed interface Event {

	/**
	 * When it happened.
	 * @return nanoseconds of the monotonic clock
	 */
	long time();

	/**
	 * A producer is about to enqueue a payload, or a node what follows a job. Written
	 * once per attempt.
	 *
	 * @param time just before the call
	 * @param id the job's id
	 * @param payload the payload's number, unique over all producers
	 * @param defaultScore whether the payload has the default score
	 * @param delay how long after the enqueue it is due, in milliseconds
	 */
	record EnqueueCalled(long time, String queue, String id, long payload, boolean defaultScore,
			long delay) implements Event {
	}

	/**
	 * The enqueue of a payload returned normally.
	 *
	 * @param time just after the call
	 * @param payload the payload's number
	 */
	record EnqueueReturned(long time, long payload) implements Event {
	}

	/**
	 * A worker begins a job.
	 *
	 * @param time the first thing that the worker does
	 * @param perform the perform's number, unique in the process
	 * @param id the job's id
	 * @param epoch the fencing token
	 * @param retryCount the job's retryCount
	 * @param payloads what it was given, in this order
	 */
	record PerformStarted(long time, long perform, Shard shard, String id, long epoch, int retryCount,
			List<Scored> payloads) implements Event {
	}

	/**
	 * A payload as a worker got it.
	 *
	 * @param payload the payload's number
	 */
	record Scored(long payload, double score) {
	}

	/**
	 * A worker is about to return or to throw.
	 *
	 * @param time the last thing that the worker does
	 * @param perform the perform's number
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
	 *
	 * @param time just before the call
	 * @param perform the perform's number
	 * @param payload the payload's number, unique over all performs
	 * @param queue the queue into which it goes
	 * @param id the id of its job
	 */
	record OnSuccessCalled(long time, long perform, long payload, String queue, String id) implements Event {
	}

	/**
	 * A producer is about to enqueue a payload that is followed by another one.
	 *
	 * @param time just before the call
	 * @param before the number of the payload that comes first
	 * @param payload the number of the payload that follows it, unique over all producers
	 * @param queue the queue into which it goes
	 * @param id the id of its job
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
	 * @param time just after the answer
	 * @param session the new owner's session
	 * @param epoch the new epoch
	 * @param restored the number of jobs put back from busy
	 */
	record LeaseAcquired(long time, Shard shard, String session, long epoch, int restored) implements Event {
	}

	/**
	 * An owner is about to complete jobs and to fetch, or to release the shard.
	 *
	 * @param time just before the call
	 * @param call the call's number, unique in the process
	 * @param epoch the epoch that the call names
	 * @param release whether the call gives the lease back
	 * @param completed the ids of the jobs that were performed
	 */
	record OwnerCalled(long time, long call, Shard shard, long epoch, boolean release,
			List<String> completed) implements Event {
	}

	/**
	 * A call of an owner was answered, or given up.
	 *
	 * @param time just after the answer
	 * @param call the call's number
	 * @param answer what the store said
	 * @param fetched the ids of the fetched jobs
	 */
	record OwnerAnswered(long time, long call, Answer answer, List<String> fetched) implements Event {
	}

	/** The store's answer to an owner's call. */
	enum Answer {

		/** It was applied. */
		APPLIED,

		/** Nothing was changed. */
		REFUSED,

		/** There was no answer: nobody knows whether the call took effect. */
		NONE

	}

	/**
	 * An operator is about to do something.
	 *
	 * @param time just before the call
	 * @param number the action's number, unique in the process
	 * @param id the job's id; {@code *} for all of the queue
	 */
	record ActionCalled(long time, long number, Action action, String queue, String id) implements Event {
	}

	/**
	 * The action of an operator has been done.
	 *
	 * @param time just after the answer
	 * @param number the action's number
	 */
	record ActionReturned(long time, long number) implements Event {
	}

	/** The actions of operators. */
	enum Action {

		/** Pauses a queue. */
		PAUSE,

		/** Resumes a queue. */
		RESUME,

		/** Makes a job due. */
		PERFORM_NOW,

		/** Deletes a queued job. */
		DELETE,

		/** Takes a job out of the morgue. */
		RE_ENQUEUE,

		/** Corrects a job on hold and releases it. */
		RELEASE,

		/** Pauses a group. */
		PAUSE_GROUP,

		/** Lets one job of a group run at a time. */
		LIMIT_GROUP,

		/** Resets what was set for a group. */
		RESET_GROUP

	}

	/**
	 * The health of a node has changed.
	 *
	 * @param time when it was seen
	 * @param up whether it is UP
	 */
	record HealthSeen(long time, boolean up) implements Event {
	}

	/**
	 * A process is ready.
	 *
	 * @param time when it was seen
	 */
	record ProcessUp(long time, String process) implements Event {
	}

	/**
	 * A process has ended.
	 *
	 * @param time when it was seen
	 */
	record ProcessGone(long time, String process) implements Event {
	}

	/**
	 * A fault begins.
	 *
	 * @param time just before it was made
	 * @param fault the fault's number
	 * @param process the process it hits; {@code *} for all
	 */
	record FaultBegun(long time, long fault, FaultKind kind, String process) implements Event {
	}

	/**
	 * A fault is over.
	 *
	 * @param time just after it was taken back
	 * @param fault the fault's number
	 */
	record FaultOver(long time, long fault) implements Event {
	}

	/**
	 * A payload is in the morgue at the end.
	 *
	 * @param time when it was read
	 * @param id the job's id
	 * @param payload the payload's number
	 */
	record FoundDead(long time, String queue, String id, long payload) implements Event {
	}

	/**
	 * A job is still queued or busy at the end.
	 *
	 * @param time when it was read
	 * @param id the job's id
	 */
	record FoundLeft(long time, String queue, String id) implements Event {
	}

}
