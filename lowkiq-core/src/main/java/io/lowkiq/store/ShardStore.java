package io.lowkiq.store;

import java.util.List;

/**
 * The storage of shards: atomic steps, each on one shard (I5). Thread-safe.
 * <p>
 * A shard holds at most one <em>queued</em>, one <em>busy</em> and one <em>dead</em> job
 * of an id. The order of the queued jobs of a shard is that of performAt; among equal
 * ones, jobs <em>in line</em> come first, in the order they got in line, then the others
 * by the unsigned bytes of their id. A job gets in line when it is pushed as a new job
 * with the default performAt, unless a job that got in line before has a later performAt
 * (the clock went back). It stays in line until it is fetched or its performAt is set
 * anew.
 * <p>
 * Every method throws {@link StoreException} when it is not certain what happened.
 */
public interface ShardStore {

	/** A job that was busy in more crashes than this goes to the morgue (rule 8). */
	int MAX_CRASHES = 3;

	/** The error of payloads that went to the morgue for {@link #MAX_CRASHES}. */
	String POISON_PILL = "Poison pill: the job was being performed in each of more than " + MAX_CRASHES
			+ " crashes of its nodes";

	/**
	 * Enqueues payloads (rules 1 and 2), in the order of the list, all at the same time.
	 * A payload for an id that is queued merges: an equal payload keeps the smaller
	 * score, and performAt, retryCount and crash count stay those of the queued job.
	 * Wakes the owner if it waits for a later job. Safe to repeat.
	 * <p>
	 * The default score is the store's time in milliseconds, with fractions; or, if an
	 * equal or larger score of the id is queued or busy, the next larger double after
	 * that. An equal payload that is queued keeps its score.
	 * @param shard the shard of all the ids
	 * @param pushes the payloads, at least one
	 * @return how many merged
	 */
	PushResult push(Shard shard, List<Push> pushes);

	/**
	 * Enqueues payloads into several shards, as one {@link #push} after the other does;
	 * but a storage may push into different shards at the same time. Those of one shard
	 * keep their order. When it throws, any of them may have been pushed. Safe to repeat.
	 * @param all the payloads by shard, at least one; a shard may come several times
	 * @return how many merged, of all
	 */
	default PushResult pushAll(List<ShardPushes> all) {
		int merged = 0;
		long now = 0;
		for (ShardPushes some : all) {
			PushResult result = push(some.shard(), some.pushes());
			merged += result.merged();
			now = result.now();
		}
		return new PushResult(merged, now);
	}

	/**
	 * Takes the lease of a shard (I6) if it is free, or held by the asking session, or by
	 * the session named in the claim. The new epoch is the larger of the last one + 1 and
	 * the store's time in milliseconds. Busy jobs are restored (rule 8), unless the claim
	 * says otherwise: they go back to the queue with their performAt and retryCount,
	 * merged with what was queued meanwhile, marked if the claim says so. A marked job is
	 * a suspect until it is done, fails or dies; marked more than {@link #MAX_CRASHES}
	 * times, its busy payloads go to the morgue.
	 * <p>
	 * Leaves word that the owner waits for any job, so that an owner whose call was
	 * applied late, after it had given it up, is called at the next push and finds its
	 * lease fenced.
	 * @param shard the shard
	 * @param claim who asks, and why
	 * @return the lease, or who holds it
	 */
	Acquisition acquire(Shard shard, Claim claim);

	/**
	 * Applies the outcomes of busy jobs, in the order of the list, and fetches jobs that
	 * are due (rules 3 to 6), in one step. A fetch of more than 0 jobs finds nothing
	 * while other jobs of the shard are still busy after the outcomes, or while the queue
	 * is paused.
	 * <p>
	 * A fetch that returns no job leaves word that the owner waits: a push of a job that
	 * is due before {@link Turn.Applied#next()}, resuming the queue, or an action that
	 * makes a job due earlier calls {@link WakeUps.Listener#wake(Shard)} of the owner.
	 * <p>
	 * If the fetch said {@link Fetch#handOver()}, a push may do more for the owner who
	 * waits: move its job to the busy ones as the owner's next step, and call
	 * {@link WakeUps.Listener#handOver} in place of {@code wake}. That is so for a push
	 * of one payload of at most {@link HandOver#MOST_BYTES} with the default score and
	 * performAt, whose id is not queued, while nothing is in line, busy or a suspect, and
	 * the owner's session has a listener; a storage may still choose to wake. If the
	 * owner's next call, which tells no outcome and fetches, has overtaken that message,
	 * the answer is {@link Turn.HandedOver}.
	 * @param lease the owner's lease
	 * @param sequence one more than that of the call before, 1 for the first under this
	 * lease
	 * @param outcomes what became of busy jobs
	 * @param fetch what to fetch
	 * @return the jobs, or why nothing was changed
	 */
	Turn turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch);

	/**
	 * Gives a lease back: applies the outcomes, restores what is still busy without
	 * marking it, leaves the shard free, and calls
	 * {@link WakeUps.Listener#released(Shard)} of all nodes. A lease that is not current
	 * is left alone.
	 * @param lease the owner's lease
	 * @param sequence a number larger than that of any earlier call under this lease; a
	 * job that was handed over after that one goes back to the queue
	 * @param outcomes what became of busy jobs
	 * @return whether the lease was current
	 */
	boolean release(Lease lease, long sequence, List<Outcome> outcomes);

	/**
	 * Runs a task in the calling thread. A storage may give the thread a connection of
	 * its own for as long as the task runs, so that its calls take less time.
	 * @param threads how many threads run such a task at a time
	 * @param task makes many calls, one after the other, as a shard thread does
	 */
	default void runAttached(int threads, Runnable task) {
		task.run();
	}

}
