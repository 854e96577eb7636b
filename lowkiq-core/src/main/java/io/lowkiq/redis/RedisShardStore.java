package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardPayloads;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.FetchResult;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The atomic steps of producers and owners, one script each.
 */
final class RedisShardStore implements ShardStore {

	private static final int FENCED = -1;

	private static final int OUT_OF_STEP = -2;

	/** The size of an answer that is no fetch: a fetch answers with an even number. */
	private static final int HANDED_OVER = 7;

	private static final int FIRST_JOB = 6;

	/** Enough for a session's name. */
	private static final int CALL_BYTES = 96;

	private static final int SUSPECTS = 1;

	private static final int HAND_OVERS = 2;

	private final LuaScript push = LuaScript.load("push");

	private final LuaScript acquire = LuaScript.load("acquire");

	private final LuaScript turn = LuaScript.load("turn");

	private final LuaScript release = LuaScript.load("release");

	private final ShardScripts scripts;

	/** For pushes; other than the former when they wait for replicas. */
	private final ShardScripts pushes;

	private final ShardKeys keys;

	/**
	 * What owners were given last. Written and read by the owner of the shard; what is of
	 * another lease, or isn't that of the call before, is of no use and does no harm.
	 */
	private final Map<Shard, LastFetch> lastFetches = new ConcurrentHashMap<>();

	RedisShardStore(ShardScripts scripts, ShardScripts pushes, ShardKeys keys) {
		this.scripts = scripts;
		this.pushes = pushes;
		this.keys = keys;
	}

	@Override
	public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
		int merged = 0;
		long now = 0;
		for (byte[] packed : PackedPushes.pack(pushes)) {
			Reply reply = this.pushes.run(this.push, shard, argument(shard.toString()), this.keys.wakeChannels(),
					packed);
			merged += reply.count(0);
			now = reply.number(1);
		}
		return new EnqueueResult(merged, now);
	}

	@Override
	public EnqueueResult pushAll(List<ShardPayloads> all) {
		List<Reply> replies = new ArrayList<>(all.size());
		this.pushes.runAll(this.push, () -> all.stream().flatMap(this::calls).iterator(), replies::add);
		int merged = replies.stream().mapToInt((reply) -> reply.count(0)).sum();
		long now = replies.stream().mapToLong((reply) -> reply.number(1)).max().orElse(0);
		return new EnqueueResult(merged, now);
	}

	private Stream<ShardScripts.ShardCall> calls(ShardPayloads pushes) {
		Shard shard = pushes.shard();
		return PackedPushes.pack(pushes.pushes())
			.stream()
			.map((packed) -> new ShardScripts.ShardCall(shard, argument(shard.toString()), this.keys.wakeChannels(),
					packed));
	}

	@Override
	public Acquisition acquire(Shard shard, Claim claim) {
		String from = claim.from();
		Reply reply = this.scripts.run(this.acquire, shard, argument(claim.session()),
				argument((from != null) ? from : ""), argument(claim.crashed()), argument(claim.epoch()),
				argument(claim.sequence()), argument(MAX_CRASHES), argument(POISON_PILL));
		if (reply.number(0) == 0) {
			return new Acquisition.Held(reply.text(1), reply.number(2));
		}
		Lease lease = new Lease(shard, claim.session(), reply.number(1));
		return new Acquisition.Acquired(lease, reply.count(2), reply.number(3) == 1, reply.time(4), reply.time(5),
				reply.number(6));
	}

	@Override
	public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
		LastFetch last = this.lastFetches.remove(lease.shard());
		byte[] packed = (last != null && last.isAllDone(lease, sequence, outcomes))
				? PackedOutcomes.allDone(outcomes.size()) : PackedOutcomes.pack(outcomes);
		Reply reply = this.scripts.run(this.turn, lease.shard(), packedCall(lease, sequence, fetch), packed);
		if (reply.size() == 1) {
			return switch ((int) reply.number(0)) {
				case FENCED -> new FetchResult.Fenced();
				case OUT_OF_STEP -> new FetchResult.OutOfStep();
				default -> throw displaced();
			};
		}
		if (reply.size() == HANDED_OVER) {
			checkCall(reply, HANDED_OVER - 2, lease.shard(), sequence);
			return new FetchResult.HandedOver(new HandOver(lease.epoch(), sequence - 1, reply.number(0), job(reply, 3),
					reply.time(2), reply.number(1)));
		}
		checkCall(reply, FIRST_JOB - 2, lease.shard(), sequence);
		List<FetchedJob> jobs = jobs(reply);
		if (!jobs.isEmpty() && FIRST_JOB + 2 * jobs.size() == reply.size()) {
			this.lastFetches.put(lease.shard(),
					new LastFetch(lease.epoch(), sequence, jobs.stream().map(FetchedJob::id).toList()));
		}
		return new FetchResult.Fetched(jobs, reply.time(0), reply.time(1), reply.number(2), reply.count(3));
	}

	private static byte[] packedCall(Lease lease, long sequence, Fetch fetch) {
		int flags = (fetch.suspects() ? SUSPECTS : 0) + (fetch.handOver() ? HAND_OVERS : 0);
		return new PackedArgument(CALL_BYTES).putDouble((double) lease.epoch())
			.putDouble((double) sequence)
			.putInt(fetch.jobs())
			.putInt(fetch.payloads())
			.putByte(flags)
			.putBytes(ShardKeys.bytes(lease.session()))
			.toBytes();
	}

	/**
	 * Whether it is this call's answer. A connection out of a pool may still hold what an
	 * earlier user did not read; from then on it gives every call the answer of the one
	 * before, and jobs of one shard would be performed under the lease of another.
	 */
	private void checkCall(Reply reply, int index, Shard shard, long sequence) {
		if (!reply.is(index, sequence) || !reply.is(index + 1, this.keys.meta(shard))) {
			throw displaced();
		}
	}

	private StoreException displaced() {
		this.scripts.leave();
		return new StoreException(
				"Redis' answer to script %s is not that to this call, but to another one".formatted(this.turn.name()),
				null);
	}

	/** Where the line was damaged, an id may lie in it twice; it is one job. */
	private static List<FetchedJob> jobs(Reply reply) {
		Map<String, FetchedJob> jobs = new LinkedHashMap<>();
		for (int i = FIRST_JOB; i < reply.size(); i += 2) {
			FetchedJob job = job(reply, i);
			jobs.merge(job.id(), job, RedisShardStore::join);
		}
		return List.copyOf(jobs.values());
	}

	private static FetchedJob join(FetchedJob one, FetchedJob other) {
		List<Payload> payloads = Stream.concat(one.payloads().stream(), other.payloads().stream())
			.sorted(Comparator.comparingDouble(Payload::score))
			.toList();
		return new FetchedJob(one.id(), one.performAt(), one.retryCount(), one.crashes(), one.error(), payloads);
	}

	private static FetchedJob job(Reply reply, int index) {
		JobEntry entry = JobEntry.parse(reply.bytes(index + 1));
		String id = entry.id();
		return entry.fetched((id != null && reply.isNothing(index)) ? id : reply.id(index));
	}

	@Override
	public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
		this.lastFetches.remove(lease.shard());
		Reply reply = this.scripts.run(this.release, lease.shard(), argument(lease.session()), argument(lease.epoch()),
				argument(sequence), PackedOutcomes.pack(outcomes), this.keys.releasedChannel(),
				argument(lease.shard().toString()));
		return reply.number(0) == 1;
	}

	@Override
	public void runAttached(int threads, Runnable task) {
		this.scripts.runAttached(threads, task);
	}

}
