package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.IdBytes;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.PackedBytes;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredPayload;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The actions of operators on the jobs of a shard (rule 9). Each is one script, so it can
 * be interrupted and done twice. Throws {@link StoreException} when it is not certain
 * what happened. Thread-safe.
 */
public final class ShardActions {

	/** How long a removed shard refuses producers: longer than an outbox keeps rows. */
	public static final Duration REFUSED_FOR = Duration.ofDays(8);

	/** No step changes more jobs than this, so that none holds Redis up for long. */
	private static final int MAX_JOBS = 1_000;

	/** Stands for all jobs, where ids are expected. */
	private static final byte[] ALL = new byte[0];

	private static final LuaScript PERFORM_NOW = LuaScript.load("perform-now", "make jobs due");

	private static final LuaScript RELEASE = LuaScript.load("release-held", "release jobs on hold");

	private static final LuaScript EDIT_HELD = LuaScript.load("edit-held", "edit a job on hold");

	private static final LuaScript EDIT_DEAD = LuaScript.load("edit-dead", "edit a dead job");

	private static final LuaScript KILL = LuaScript.load("kill", "kill jobs");

	private static final LuaScript DELETE = LuaScript.load("delete", "delete jobs");

	private static final LuaScript BURY = LuaScript.load("bury", "bury a payload");

	private static final LuaScript RE_ENQUEUE = LuaScript.load("re-enqueue", "enqueue dead jobs again");

	private static final LuaScript DELETE_DEAD = LuaScript.load("delete-dead", "delete dead jobs");

	private static final LuaScript HOLD = LuaScript.load("hold", "put jobs on hold");

	private static final LuaScript DROP_FOLLOW_UPS = LuaScript.load("drop-follow-ups", "drop follow-ups");

	private static final LuaScript ERASE = LuaScript.load("erase", "erase an id");

	private static final LuaScript REPAIR = LuaScript.load("repair", "repair the places of jobs");

	private static final LuaScript CLOSE = LuaScript.load("close", "close a shard");

	private static final LuaScript EMPTY = LuaScript.load("empty", "delete all of a shard");

	private static final LuaScript PAUSE = LuaScript.load("pause", "pause or resume a shard");

	private final ShardScripts scripts;

	private final ShardInspection inspection;

	private final ClosedShards closed;

	private final ShardKeys keys;

	private final byte[] wakeChannels;

	private final CrossShardCalls crossShard;

	ShardActions(ShardScripts scripts, ShardInspection inspection, ClosedShards closed, ShardKeys keys,
			CrossShardCalls crossShard) {
		this.scripts = scripts;
		this.closed = closed;
		this.inspection = inspection;
		this.keys = keys;
		this.wakeChannels = keys.wakeChannels();
		this.crossShard = crossShard;
	}

	/**
	 * Makes delayed jobs and suspects due, except those behind a busy one; wakes the
	 * owner.
	 */
	public Step performAllNow(Shard shard, int limit) {
		return waking(PERFORM_NOW, shard, ALL, limit);
	}

	/** Makes the named jobs due, as {@link #performAllNow} does. */
	public Step performNow(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> waking(PERFORM_NOW, shard, packed, MAX_JOBS));
	}

	/** Releases jobs on hold: due now, with retryCount -1; wakes the owner. */
	public Step releaseAll(Shard shard, int limit) {
		return waking(RELEASE, shard, ALL, limit);
	}

	/** Releases the named jobs, if they are on hold; wakes the owner. */
	public Step release(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> waking(RELEASE, shard, packed, MAX_JOBS));
	}

	/**
	 * Puts the named queued jobs on hold, with a crash count of 0; a busy one when it
	 * comes back, and not if it is done.
	 */
	public Step hold(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> step(this.scripts.run(HOLD, shard, packed)));
	}

	/**
	 * Replaces the first payload of a job on hold, which keeps its score and its next
	 * step; of two equal payloads, the smaller score stays.
	 */
	public EditResult editHeld(Shard shard, String id, byte[] known, byte[] replacement) {
		return edit(EDIT_HELD, shard, JobView.State.QUEUED, id, known, replacement);
	}

	/** Replaces the first payload of a dead job, as {@link #editHeld} does. */
	public EditResult editDead(Shard shard, String id, byte[] known, byte[] replacement) {
		return edit(EDIT_DEAD, shard, JobView.State.DEAD, id, known, replacement);
	}

	/** Replaces a payload, and keeps its next step. */
	private EditResult edit(LuaScript script, Shard shard, JobView.State state, String id, byte[] known,
			byte[] replacement) {
		Payload first = this.inspection.find(shard, state, id, 1)
			.flatMap((job) -> job.payloads().stream().findFirst())
			.orElse(null);
		byte[] next = (first != null && Arrays.equals(first.bytes(), known)) ? first.next() : null;
		if (next != null && next.length == 0) {
			return EditResult.UNREADABLE;
		}
		return switch (this.scripts
			.run(script, shard, IdBytes.encode(id), StoredPayload.of(known, next), StoredPayload.of(replacement, next))
			.count(0)) {
			case 0 -> EditResult.EDITED;
			case 1 -> EditResult.CHANGED;
			case 2 -> EditResult.QUEUED;
			case 3 -> EditResult.BUSY;
			case 4 -> EditResult.DEAD;
			default -> EditResult.NONE;
		};
	}

	/**
	 * Moves the named queued jobs to the morgue, with all their payloads and their error.
	 */
	public Step kill(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> step(KILL, shard, packed, MAX_JOBS));
	}

	/**
	 * Moves queued jobs with retryCount of 0 or more to the morgue, as {@link #kill}
	 * does.
	 */
	public Step killAllFailed(Shard shard, int limit) {
		return step(KILL, shard, ALL, limit);
	}

	/** Deletes queued jobs with retryCount of 0 or more. */
	public Step deleteAllFailed(Shard shard, int limit) {
		return step(DELETE, shard, ALL, limit);
	}

	/** Deletes the named queued jobs. */
	public Step delete(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> step(DELETE, shard, packed, MAX_JOBS));
	}

	/**
	 * Puts a payload that can't become a queued job into the morgue, merged with what is
	 * dead of its id.
	 * @throws QueueClosedException if the shard is closed, because its queue is being
	 * removed
	 */
	public void bury(Shard shard, String id, byte[] payload, double score, String error) {
		byte[] call = new PackedBytes().putDouble(score + 0.0)
			.putBytes(IdBytes.encode(id))
			.putBytes(StoredPayload.of(payload, null))
			.putBytes(Utf8.bytes(error))
			.toBytes();
		this.closed.call(shard, () -> buryIfOpen(shard, call));
	}

	private Reply buryIfOpen(Shard shard, byte[] call) {
		Reply reply = this.scripts.run(BURY, shard, call);
		if (reply.number(0) < 0) {
			throw new QueueClosedException(shard, reply.number(2), reply.number(1));
		}
		return reply;
	}

	/**
	 * Enqueues dead jobs again (rule 7), the longest dead first: merged with what is
	 * queued, due now, with retryCount -1; wakes the owner.
	 * @param before only jobs buried before this time, in milliseconds since 1970
	 */
	public Step reEnqueueAll(Shard shard, int limit, long before) {
		return waking(RE_ENQUEUE, shard, ALL, limit, argument(before));
	}

	/** Enqueues the named dead jobs again. */
	public Step reEnqueue(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> waking(RE_ENQUEUE, shard, packed, MAX_JOBS, argument(0)));
	}

	/**
	 * Deletes jobs from the morgue, the longest dead first.
	 * @param before only jobs buried before this time, in milliseconds since 1970
	 */
	public Step deleteAllDead(Shard shard, int limit, long before) {
		return step(DELETE_DEAD, shard, ALL, limit, argument(before));
	}

	/** Deletes the named jobs from the morgue. */
	public Step deleteDead(Shard shard, Collection<String> ids) {
		return named(ids, (packed) -> step(DELETE_DEAD, shard, packed, MAX_JOBS, argument(0)));
	}

	/** Erases all that is kept of an id: queued, dead, and of its run in progress. */
	public Erasure erase(Shard shard, String id) {
		Reply reply = this.scripts.run(ERASE, shard, IdBytes.encode(id));
		return new Erasure(reply.number(0) == 1, reply.number(1) == 1, reply.number(2) == 1);
	}

	/**
	 * Drops follow-ups that wait in a shard. Its owner may have read and still enqueue
	 * one.
	 */
	public int dropFollowUps(Shard shard, Collection<Origin> followUps) {
		return this.scripts.run(DROP_FOLLOW_UPS, shard, names(followUps), argument("")).count(0);
	}

	/**
	 * Drops follow-ups that the target remembers to be enqueued; in a cluster, where the
	 * shards may be on several masters, all.
	 */
	public Step dropEnqueued(Shard shard, Collection<Origin> followUps, Shard source, Shard target) {
		return step(this.crossShard.run(DROP_FOLLOW_UPS, shard, List.of(target), names(followUps),
				argument(source.toString())));
	}

	private static byte[] names(Collection<Origin> followUps) {
		PackedBytes names = new PackedBytes();
		followUps.forEach((each) -> names.putDouble((double) each.epoch()).putDouble((double) each.number()));
		return names.toBytes();
	}

	/**
	 * Checks some queued jobs, and repairs stranded ones, which are in no index or list
	 * of their place; wakes the owner. What this version can't read is left alone.
	 */
	public Repair repair(Shard shard, String from, int limit) {
		Reply reply = this.scripts.run(REPAIR, shard, name(shard), this.wakeChannels, argument(from), limited(limit));
		return new Repair(reply.text(0), reply.count(1), reply.count(2), reply.count(3), reply.count(4), reply.count(5),
				reply.count(6));
	}

	/**
	 * Closes a shard for the removal of its queue: nobody can enqueue, owns it or can
	 * acquire it.
	 */
	public Closing close(Shard shard, @Nullable String ended, boolean ifEmpty) {
		Reply reply = this.scripts.run(CLOSE, shard, argument((ended != null) ? ended : ""), argument(ifEmpty));
		return switch (reply.count(0)) {
			case 0 -> Closing.CLOSED;
			case 1 -> Closing.OWNED;
			default -> Closing.NOT_EMPTY;
		};
	}

	/**
	 * Deletes jobs out of a closed shard, whatever their state; with the last one, all
	 * that is kept of the shard, except for a mark that refuses producers for a while.
	 * @throws StoreException also if the shard is open, or has an owner
	 */
	public Step empty(Shard shard, int limit) {
		Reply reply = this.scripts
			.begin(EMPTY, this.keys.withCalls(shard), limited(limit), argument(REFUSED_FOR.toMillis()))
			.get();
		if (reply.number(0) < 0) {
			throw new StoreException("Shard %s is not closed, and was not emptied".formatted(shard), null);
		}
		return step(reply);
	}

	/**
	 * Pauses or resumes a shard: while paused, jobs are enqueued and finished, but none
	 * is fetched.
	 */
	public void pause(Shard shard, boolean paused) {
		this.scripts.run(PAUSE, shard, name(shard), this.wakeChannels, argument(paused));
	}

	private static Step named(Collection<String> ids, Function<byte[], Step> step) {
		List<String> distinct = new ArrayList<>(new LinkedHashSet<>(ids));
		int changed = 0;
		for (int first = 0; first < distinct.size(); first += MAX_JOBS) {
			PackedBytes packed = new PackedBytes();
			distinct.subList(first, Math.min(first + MAX_JOBS, distinct.size()))
				.forEach((id) -> packed.putBytes(IdBytes.encode(id)));
			changed += step.apply(packed.toBytes()).changed();
		}
		return new Step(changed, false);
	}

	private Step step(LuaScript script, Shard shard, byte[] ids, int limit, byte[]... more) {
		return step(this.scripts.run(script, shard, all(new byte[][] { ids, limited(limit) }, more)));
	}

	/** A step after which the owner may have something to do. */
	private Step waking(LuaScript script, Shard shard, byte[] ids, int limit, byte[]... more) {
		return step(this.scripts.run(script, shard,
				all(new byte[][] { name(shard), this.wakeChannels, ids, limited(limit) }, more)));
	}

	private static byte[][] all(byte[][] first, byte[][] more) {
		return Stream.concat(Stream.of(first), Stream.of(more)).toArray(byte[][]::new);
	}

	private static Step step(Reply reply) {
		return new Step(reply.count(0), reply.number(1) != 0);
	}

	private static byte[] limited(int limit) {
		return argument(Math.min(limit, MAX_JOBS));
	}

	private static byte[] name(Shard shard) {
		return argument(shard.toString());
	}

	/** The result of one step: so many jobs were changed, and whether there are more. */
	public record Step(int changed, boolean more) {
	}

	/**
	 * The result of one step of repairing.
	 *
	 * @param next where the next step begins; {@link #START} if there is none
	 * @param unknown ready jobs that were not checked, because too many wait
	 */
	public record Repair(String next, int looked, int delayed, int suspects, int blocked, int ready, int unknown) {

		/** Where the first step begins. */
		public static final String START = "0";

		/** Whether there is more to look at. */
		public boolean more() {
			return !this.next.equals(START);
		}

		/** The number of jobs that were repaired. */
		public int repaired() {
			return this.delayed + this.suspects + this.blocked + this.ready;
		}

	}

	/** The result of closing a shard. */
	public enum Closing {

		CLOSED,

		/** Another session owns it. */
		OWNED,

		NOT_EMPTY

	}

}
