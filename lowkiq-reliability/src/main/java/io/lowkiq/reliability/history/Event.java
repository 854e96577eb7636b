package io.lowkiq.reliability.history;

import java.util.List;

import io.lowkiq.store.Shard;

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
	 * A producer is about to enqueue a payload. Written once per attempt.
	 *
	 * @param time just before the call
	 * @param queue the queue's name
	 * @param id the job's id
	 * @param payload the payload's number, unique over all producers
	 * @param defaultScore whether the payload has the default score
	 */
	record EnqueueCalled(long time, String queue, String id, long payload, boolean defaultScore) implements Event {
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
	 * A worker was handed a job.
	 *
	 * @param time the first thing that the worker does
	 * @param perform the perform's number, unique in the process
	 * @param shard the shard
	 * @param id the job's id
	 * @param epoch the fencing token
	 * @param retryCount the job's retryCount
	 * @param payloads what was handed over, in this order
	 */
	record PerformStarted(long time, long perform, Shard shard, String id, long epoch, int retryCount,
			List<Handed> payloads) implements Event {
	}

	/**
	 * A payload as it was handed over.
	 *
	 * @param payload the payload's number
	 * @param score its score
	 */
	record Handed(long payload, double score) {
	}

	/**
	 * A worker is about to return or to throw.
	 *
	 * @param time the last thing that the worker does
	 * @param perform the perform's number
	 * @param success whether it returns normally
	 * @param leaseLost whether it was told that the lease is lost
	 */
	record PerformEnded(long time, long perform, boolean success, boolean leaseLost) implements Event {
	}

	/**
	 * The registry answered a heartbeat: the session lasts at least until
	 * {@code time + duration}.
	 *
	 * @param time just before the heartbeat was sent
	 * @param session the session
	 * @param duration the lease duration in nanoseconds
	 */
	record SessionHeld(long time, String session, long duration) implements Event {
	}

	/**
	 * The store gave a lease.
	 *
	 * @param time just after the answer
	 * @param shard the shard
	 * @param session the new owner's session
	 * @param epoch the new epoch
	 * @param restored the number of jobs put back from busy
	 */
	record LeaseAcquired(long time, Shard shard, String session, long epoch, int restored) implements Event {
	}

	/**
	 * An owner is about to send a turn, or to release the shard.
	 *
	 * @param time just before the call
	 * @param call the call's number, unique in the process
	 * @param shard the shard
	 * @param epoch the epoch that the call names
	 * @param release whether the call gives the lease back
	 * @param settled the ids of the outcomes
	 */
	record TurnCalled(long time, long call, Shard shard, long epoch, boolean release,
			List<String> settled) implements Event {
	}

	/**
	 * The store answered a turn or a release; no such event follows an uncertain answer.
	 *
	 * @param time just after the answer
	 * @param call the call's number
	 * @param applied false if the store says that nothing was changed
	 */
	record TurnReturned(long time, long call, boolean applied) implements Event {
	}

	/**
	 * A process is ready.
	 *
	 * @param time when it was seen
	 * @param process the process' name
	 */
	record ProcessUp(long time, String process) implements Event {
	}

	/**
	 * A process has ended.
	 *
	 * @param time when it was seen
	 * @param process the process' name
	 */
	record ProcessGone(long time, String process) implements Event {
	}

	/**
	 * A fault begins.
	 *
	 * @param time just before it was made
	 * @param fault the fault's number
	 * @param kind what it is
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
	 * A payload lies in the morgue at the end.
	 *
	 * @param time when it was read
	 * @param queue the queue's name
	 * @param id the job's id
	 * @param payload the payload's number
	 */
	record FoundDead(long time, String queue, String id, long payload) implements Event {
	}

	/**
	 * A job is still queued or busy at the end.
	 *
	 * @param time when it was read
	 * @param queue the queue's name
	 * @param id the job's id
	 */
	record FoundLeft(long time, String queue, String id) implements Event {
	}

}
