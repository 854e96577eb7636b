package io.lowkiq.store.inspection;

import io.lowkiq.store.StoreException;

import io.lowkiq.store.Shard;

import java.util.Collection;

/**
 * What people do to the jobs of a shard (rule 9). Each method is one atomic step; those
 * that concern many jobs take a limit and say whether there is more to do, so that a long
 * action works in steps, can be interrupted, and can be done twice. Busy jobs are never
 * touched. Thread-safe. Every method throws {@link StoreException} when it is not certain
 * what happened.
 */
public interface ShardActions {

	/**
	 * What one step did.
	 *
	 * @param changed the number of jobs changed
	 * @param more whether there is more to do
	 */
	record Step(int changed, boolean more) {
	}

	/**
	 * Makes queued jobs due now that are not due yet. Their performAt becomes now; wakes
	 * the owner. Jobs in line are left alone: they are due already.
	 * @param shard the shard
	 * @param limit the most jobs to change
	 * @return what was done
	 */
	Step performAllNow(Shard shard, int limit);

	/**
	 * Makes the named queued jobs due now, if they are not due yet; wakes the owner. Jobs
	 * in line are left alone.
	 * @param shard the shard
	 * @param ids the ids
	 * @return what was done
	 */
	Step performNow(Shard shard, Collection<String> ids);

	/**
	 * Moves queued jobs with retryCount of 0 or more to the morgue, with all their
	 * payloads and their error.
	 * @param shard the shard
	 * @param limit the most jobs to move
	 * @return what was done
	 */
	Step killAllFailed(Shard shard, int limit);

	/**
	 * Deletes queued jobs with retryCount of 0 or more.
	 * @param shard the shard
	 * @param limit the most jobs to delete
	 * @return what was done
	 */
	Step deleteAllFailed(Shard shard, int limit);

	/**
	 * Deletes the named queued jobs.
	 * @param shard the shard
	 * @param ids the ids
	 * @return what was done
	 */
	Step delete(Shard shard, Collection<String> ids);

	/**
	 * Queues jobs up from the morgue (rule 7), the longest dead first: merged into the
	 * queue, retryCount -1, performAt now, crash count 0; wakes the owner.
	 * @param shard the shard
	 * @param limit the most jobs to move
	 * @param before only jobs buried before this time, in milliseconds since 1970, so
	 * that an action does not chase what dies meanwhile
	 * @return what was done
	 */
	Step reviveAll(Shard shard, int limit, long before);

	/**
	 * Queues the named jobs up from the morgue.
	 * @param shard the shard
	 * @param ids the ids
	 * @return what was done
	 */
	Step revive(Shard shard, Collection<String> ids);

	/**
	 * Deletes jobs from the morgue, the longest dead first.
	 * @param shard the shard
	 * @param limit the most jobs to delete
	 * @param before only jobs buried before this time, in milliseconds since 1970
	 * @return what was done
	 */
	Step deleteAllDead(Shard shard, int limit, long before);

	/**
	 * Deletes the named jobs from the morgue.
	 * @param shard the shard
	 * @param ids the ids
	 * @return what was done
	 */
	Step deleteDead(Shard shard, Collection<String> ids);

	/**
	 * Pauses or resumes a shard. While it is paused, jobs are enqueued but none is
	 * fetched; what is busy is finished. Resuming wakes the owner.
	 * @param shard the shard
	 * @param paused whether to pause
	 */
	void pause(Shard shard, boolean paused);

}
