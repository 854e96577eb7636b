package io.lowkiq.store;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;

/**
 * The storage of shards: atomic steps, each on one shard (I5). Thread-safe.
 * <p>
 * A shard holds at most one <em>queued</em>, one <em>busy</em> and one <em>dead</em> job
 * of an id. A queued job is in one of four places:
 * <ul>
 * <li><b>ready</b>: enqueued with the default performAt while its id was not busy. Ready
 * jobs are due, whatever the clock says, in the order in which they were enqueued;</li>
 * <li><b>delayed</b>: due at its performAt;</li>
 * <li><b>suspect</b>: due at its performAt, but fetched only on request, because it was
 * busy in {@value #SUSPECT_AFTER} crashes or more (rule 8);</li>
 * <li><b>blocked</b> by its own id, which is busy. When that job is completed, the queued
 * one becomes delayed, with its performAt.</li>
 * </ul>
 * The order of a shard is that of performAt. Among equal ones, delayed jobs come first,
 * by the unsigned bytes of their ids, then the ready ones.
 * <p>
 * A shard that a canceled removal has left closed is opened for the first enqueue or
 * request for a lease that it would refuse.
 * <p>
 * The calls of producers block. Those of owners don't: they return at once and answer on
 * a thread of the storage, which the caller must not block. A call that is not certainly
 * applied, or certainly not applied, ends with a {@link StoreException}.
 */
public interface ShardStore {

	/** From this crash count on, a job is a suspect: it is performed alone (rule 8). */
	int SUSPECT_AFTER = 2;

	/** A job that was busy in more crashes than this goes to the morgue (rule 8). */
	int MAX_CRASHES = 3;

	/** The error of payloads that went to the morgue for {@link #MAX_CRASHES}. */
	String POISON_PILL = "Poison pill: the job was being performed in each of more than " + MAX_CRASHES
			+ " crashes of its nodes";

	/** No more follow-ups are returned at a time. */
	int MAX_FOLLOW_UPS = 100;

	/** The maximum number of shards that forget follow-ups at a time. */
	int MAX_TARGETS = 10;

	/**
	 * Enqueues payloads (rules 1 and 2), in the order of the list, all at the same time.
	 * Safe to repeat.
	 * <p>
	 * A payload for an id that is queued merges: an equal payload keeps the smaller
	 * score; retryCount and crash count stay those of the queued job. So does performAt
	 * while the job waits for a retry, or is ready; otherwise it becomes the earlier of
	 * both.
	 * <p>
	 * Wakes the owner if one of the ids is due before the time for which the owner waits,
	 * whether or not it merged, unless it is behind its busy job or the queue is paused.
	 * <p>
	 * The default score is the store's time in milliseconds, with fractions; or, if an
	 * equal or larger score of the id is queued or busy, the next larger double after
	 * that. An equal payload that is queued keeps its score.
	 * <p>
	 * A follow-up that is not larger than the last one of its {@link Origin} was enqueued
	 * before, and changes nothing; it counts as merged.
	 * @throws StoreException if it is not certain what happened
	 */
	EnqueueResult enqueue(Shard shard, List<NewPayload> payloads);

	/**
	 * Enqueues follow-ups as {@link #enqueue} does, for a caller that doesn't wait. A
	 * storage whose calls go through a network answers on another thread.
	 * @param payloads the payloads, at least one, each with its {@link Origin} in the
	 * same shard, in the order of these
	 * @param remembered what the shard remembers of that one, as was known before the
	 * follow-ups were read; {@link Remembered#NOTHING} if nothing is known
	 * @return how many merged, or that nothing was enqueued because the shard remembers
	 * something else, and the follow-ups have to be read again; ends with a
	 * {@link StoreException} if it is not certain what happened
	 */
	CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads, Remembered remembered);

	/** Whether a job of an id is queued; if the id is busy, behind it. */
	boolean isQueued(Shard shard, String id);

	/**
	 * Enqueues payloads into several shards, as one {@link #enqueue} after the other
	 * does; but a storage may enqueue into different shards at the same time. Those of
	 * one shard keep their order: after a problem with a shard, its later payloads are
	 * not sent and share the problem. A problem with one shard holds up no other. Safe to
	 * repeat.
	 * @param all the payloads by shard, at least one; a shard may come several times
	 */
	default BatchResult enqueueAll(List<ShardPayloads> all) {
		int merged = 0;
		Map<Shard, StoreException> failed = new HashMap<>();
		Map<Integer, StoreException> problems = new HashMap<>();
		for (int i = 0; i < all.size(); i++) {
			ShardPayloads some = all.get(i);
			if (!failed.containsKey(some.shard())) {
				try {
					merged += enqueue(some.shard(), some.payloads()).merged();
					continue;
				}
				catch (StoreException ex) {
					failed.put(some.shard(), ex);
				}
			}
			problems.put(i, failed.get(some.shard()));
		}
		return new BatchResult(merged, problems);
	}

	/**
	 * Enqueues payloads as {@link #enqueueAll} does, for an outbox. Each shard remembers
	 * its last call. A call that comes after one of a later holder of the outbox' lock is
	 * refused by a {@link LateCallException}. The number of a call and its payloads are
	 * written in one step, so they are forgotten together: a shard that has forgotten a
	 * call that the outbox knows refuses all others by a {@link ForgottenCallsException}.
	 * @param all the payloads by shard, all of one queue; those of a shard that is only
	 * asked what it has forgotten are empty
	 */
	BatchResult enqueueFenced(List<ShardPayloads> all, OutboxCall outbox);

	/**
	 * Takes the lease of a shard (I6) if it is free, or held by the asking session, or by
	 * the session named in the request. The new epoch is the larger of the last one + 1
	 * and the store's time in milliseconds. Busy jobs are restored (rule 8), unless the
	 * request says otherwise: they are delayed, or suspects, with their performAt and
	 * retryCount, merged with what was queued meanwhile. If the lease is taken from a
	 * session that {@linkplain LeaseRequest#crashed() crashed}, the crash count of each
	 * grows by one, and one with more than {@link #MAX_CRASHES} crashes goes to the
	 * morgue with its busy payloads instead.
	 * <p>
	 * Notes that the owner waits for any job, so that an owner whose call was applied
	 * late, after it had given it up, is woken by the next enqueue and finds its lease
	 * fenced.
	 * @return the lease, or who holds it; ends with a {@link QueueClosedException} if the
	 * shard is closed, because its queue is being removed, or was, or if the store
	 * doesn't know it, and the record of its queue doesn't name it
	 */
	CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request);

	/**
	 * Applies the outcomes of busy jobs, in the order of the list, and fetches jobs that
	 * are due (rules 3 to 6), in one step. A job that becomes due by one of the outcomes
	 * is not fetched by the same call. While the queue is paused, nothing is fetched.
	 * <p>
	 * After a fetch that returns fewer jobs than it asked for, the owner waits: an
	 * enqueued job that is due before {@link FetchResult.Fetched#next()}, resuming the
	 * queue, or an action that makes a job due earlier calls
	 * {@link WakeUps.Listener#wake(Shard)} of the owner, once. After one that returns all
	 * it asked for, the owner doesn't wait; one that asks for none changes nothing about
	 * that.
	 * @param busy how many jobs of the shard are busy as far as the owner knows, before
	 * the outcomes. If the store knows of another number, the call is
	 * {@link FetchResult.OutOfStep out of step}
	 */
	CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch);

	/**
	 * Removes follow-ups that have been enqueued, and returns the next ones. Safe to
	 * repeat.
	 * <p>
	 * One whose target has forgotten it in a failover is not removed. A storage that
	 * keeps both shards in one place looks there in the same step; one that spreads them
	 * believes the caller.
	 * @param after the follow-ups with larger numbers are returned; 0 for all
	 * @return the next follow-ups, in the order of their numbers, at most
	 * {@value #MAX_FOLLOW_UPS}, perhaps with enqueued ones; none if there are no more, or
	 * the lease is not current, in which case nothing is removed. Ends with a
	 * {@link StoreException} if it is not certain what happened
	 */
	CompletableFuture<NextFollowUps> moveFollowUps(Lease lease, Collection<EnqueuedFollowUps> enqueued, long after);

	/**
	 * Forgets the last follow-up that came from another shard. From then on, any
	 * follow-up of that shard is enqueued. Safe to repeat.
	 */
	CompletableFuture<Boolean> forgetOrigin(Shard shard, Origin last, boolean orEarlier);

	/**
	 * Names the shards that remember follow-ups of this one, in which none waits any
	 * more, or which is closed, because its queue is being removed.
	 * @param lease the owner's lease; any lease of a closed shard
	 * @param forgotten shards that have {@linkplain #forgetOrigin forgotten} them, and
	 * are named no more
	 * @return at most {@value #MAX_TARGETS} others; none if there are no more, or if the
	 * shard is open and a follow-up waits or the lease is not current
	 */
	CompletableFuture<List<Shard>> followUpTargets(Lease lease, Collection<Shard> forgotten);

	/**
	 * Gives a lease back: applies the outcomes, restores what is still busy without
	 * counting a crash, leaves the shard free, and calls
	 * {@link WakeUps.Listener#released(Shard)} of all nodes. A lease that is not current
	 * is left alone, and so is one under which a call with this sequence number or a
	 * later one was applied.
	 */
	CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes);

}
