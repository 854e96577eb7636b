package io.lowkiq.store.inspection;

import io.lowkiq.StoreException;

import io.lowkiq.store.Origin;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collection;

/**
 * The actions of operators on the jobs of a shard (rule 9). Each method is one atomic
 * step; those that concern many jobs take a limit and say whether there is more to do, so
 * that a long action works in steps, can be interrupted, and can be done twice.
 * Thread-safe. Every method throws {@link StoreException} when it is not certain what
 * happened.
 */
public interface ShardActions {

	/** How long a removed shard refuses producers: longer than an outbox keeps rows. */
	Duration REFUSED_FOR = Duration.ofDays(8);

	/** The result of one step. */
	record Step(int changed, boolean more) {
	}

	/**
	 * Makes delayed jobs and suspects due that are not due yet: their performAt becomes
	 * now; wakes the owner. Jobs behind a busy one are left alone, and so are ready jobs,
	 * which are due already.
	 */
	Step performAllNow(Shard shard, int limit);

	/** Makes the named jobs due now, under the same conditions; wakes the owner. */
	Step performNow(Shard shard, Collection<String> ids);

	/**
	 * Releases jobs on hold: their performAt becomes now and their retryCount -1; wakes
	 * the owner.
	 */
	Step releaseAll(Shard shard, int limit);

	/** Releases the named jobs, if they are on hold; wakes the owner. */
	Step release(Shard shard, Collection<String> ids);

	/**
	 * Puts the named queued jobs on hold, also those behind a busy one: they are not
	 * performed until they are released, and what is enqueued for their ids waits with
	 * them. Their crash count becomes 0. A busy job is put on hold when it comes back,
	 * whether it fails, is given back, or its owner crashes, however often that has
	 * happened; if it is done, it is done.
	 */
	Step hold(Shard shard, Collection<String> ids);

	/**
	 * Replaces the first payload of a job on hold, which keeps its score, and what
	 * follows it. If the job has the new payload already, that takes the smaller score of
	 * both.
	 */
	EditResult editHeld(Shard shard, String id, byte[] known, byte[] replacement);

	/** Replaces the first payload of a dead job, under the same conditions. */
	EditResult editDead(Shard shard, String id, byte[] known, byte[] replacement);

	/**
	 * Drops follow-ups that wait in a shard. One that its owner has just read may be
	 * enqueued all the same.
	 */
	int dropFollowUps(Shard shard, Collection<Origin> followUps);

	/**
	 * Drops follow-ups that another shard has enqueued, in a step that sees them there. A
	 * failover may have forgotten that they are; those stay. In a cluster, where the
	 * shards may be on several masters, all are dropped.
	 */
	Step dropEnqueued(Shard shard, Collection<Origin> followUps, Shard source, Shard target);

	/**
	 * Moves the named queued jobs to the morgue, with all their payloads and their error.
	 */
	Step kill(Shard shard, Collection<String> ids);

	/**
	 * Moves queued jobs with retryCount of 0 or more to the morgue, with all their
	 * payloads and their error.
	 */
	Step killAllFailed(Shard shard, int limit);

	/** Deletes queued jobs with retryCount of 0 or more. */
	Step deleteAllFailed(Shard shard, int limit);

	/** Deletes the named queued jobs. */
	Step delete(Shard shard, Collection<String> ids);

	/**
	 * Puts a payload that can't become a queued job into the morgue, merged with what is
	 * dead of its id. Safe to repeat.
	 * @throws io.lowkiq.store.QueueClosedException if the shard is closed, because its
	 * queue is being removed
	 */
	void bury(Shard shard, String id, byte[] payload, double score, String error);

	/**
	 * Enqueues dead jobs again (rule 7), the longest dead first: merged with what is
	 * queued, retryCount -1, performAt now, crash count 0; wakes the owner.
	 * @param before only jobs buried before this time, in milliseconds since 1970, so
	 * that an action does not chase what dies meanwhile
	 */
	Step reEnqueueAll(Shard shard, int limit, long before);

	/** Enqueues the named dead jobs again. */
	Step reEnqueue(Shard shard, Collection<String> ids);

	/**
	 * Deletes jobs from the morgue, the longest dead first.
	 * @param before only jobs buried before this time, in milliseconds since 1970
	 */
	Step deleteAllDead(Shard shard, int limit, long before);

	/** Deletes the named jobs from the morgue. */
	Step deleteDead(Shard shard, Collection<String> ids);

	/**
	 * Erases all payloads and errors that are kept of an id: queued, dead, and of its run
	 * in progress.
	 */
	Erasure erase(Shard shard, String id);

	/**
	 * Checks some queued jobs, and repairs stranded ones, which are not in the index of
	 * their place, so that nobody finds them; wakes the owner. Ready jobs, and what this
	 * version can't read, are left alone.
	 */
	Repair repair(Shard shard, String from, int limit);

	/**
	 * The result of one step of repairing.
	 *
	 * @param next where the next step begins; {@link #START} if there is none
	 */
	record Repair(String next, int looked, int delayed, int suspects, int blocked) {

		/** Where the first step begins. */
		public static final String START = "0";

		/** Whether there is more to look at. */
		public boolean more() {
			return !this.next.equals(START);
		}

		/** The number of jobs that were repaired. */
		public int repaired() {
			return this.delayed + this.suspects + this.blocked;
		}

	}

	/**
	 * Closes a shard for the removal of its queue: nothing can be enqueued any more, and
	 * nobody owns it or can acquire it. Safe to repeat.
	 */
	Closing close(Shard shard, @Nullable String ended, boolean ifEmpty);

	/** The result of closing a shard. */
	enum Closing {

		/** It is closed. */
		CLOSED,

		/** Another session owns it. */
		OWNED,

		/** There are jobs in it. */
		NOT_EMPTY

	}

	/**
	 * Deletes jobs out of a closed shard, whatever their state; with the last one, all
	 * that is kept of the shard, except for a mark that refuses producers for a while.
	 * @throws io.lowkiq.StoreException also if the shard is open, or has an owner
	 */
	Step empty(Shard shard, int limit);

	/**
	 * Pauses or resumes a shard. While it is paused, jobs are enqueued but none is
	 * fetched; what is busy is finished.
	 */
	void pause(Shard shard, boolean paused);

}
