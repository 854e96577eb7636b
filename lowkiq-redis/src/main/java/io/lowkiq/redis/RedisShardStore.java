package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.StoreException;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.RedisProblem;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.wire.JobEntry;
import io.lowkiq.redis.wire.PackedOutcomes;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.BatchResult;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.ForgottenCallsException;
import io.lowkiq.store.Gathering;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.LastCall;
import io.lowkiq.store.LateCallException;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WaitingGroups;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.IdBytes;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.PackedBytes;
import io.lowkiq.store.job.PackedPayload;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import io.lowkiq.store.job.StoredFollowUp;

import static io.lowkiq.redis.ShardScripts.argument;

/** The atomic steps of producers and owners, one script each. */
final class RedisShardStore implements ShardStore {

	private static final int FETCHED = 0;

	private static final int FENCED = 1;

	private static final int HELD = 0;

	private static final int CLOSED = 2;

	private static final int FREE = 3;

	private static final int GROUPS = 7;

	private static final int FIRST_JOB = 8;

	private static final int FIRST_GROUP = 3;

	/** In the answer to a call that was refused. */
	private static final int LAST_CALL = 3;

	/** In the answer that gives a lease. */
	private static final int CALL_BEFORE = 8;

	private static final int LAST_ACCOUNT = 11;

	private static final int REMEMBERS_OTHERS = -2;

	private static final int HAS_FORGOTTEN = -3;

	private static final int LATE = -4;

	/** Enough for a session's name. */
	private static final int CALL_BYTES = 96;

	private static final LuaScript ENQUEUE = LuaScript.load("enqueue", "enqueue");

	private static final LuaScript ACQUIRE = LuaScript.load("acquire", "give a lease");

	private static final LuaScript COMPLETE_AND_FETCH = LuaScript.load("complete-and-fetch", "complete and fetch jobs");

	private static final LuaScript RELEASE = LuaScript.load("release", "take a lease back");

	private static final LuaScript MOVE_FOLLOW_UPS = LuaScript.load("move-follow-ups", "move follow-ups on");

	private static final LuaScript FOLLOW_UP_TARGETS = LuaScript.load("follow-up-targets",
			"name the shards that remember follow-ups");

	private static final LuaScript FORGET_ORIGIN = LuaScript.load("forget-origin", "forget a follow-up");

	private static final LuaScript FIND = LuaScript.load("find", "look up a job");

	private final RedisConnections connections;

	private final ScriptCaller producer;

	private final ClosedShards closed;

	private final ShardKeys keys;

	private final StoreClock clock;

	private final CrossShardCalls crossShard;

	RedisShardStore(RedisConnections connections, ScriptCaller producer, ClosedShards closed, ShardKeys keys,
			StoreClock clock, CrossShardCalls crossShard) {
		this.connections = connections;
		this.producer = producer;
		this.closed = closed;
		this.keys = keys;
		this.clock = clock;
		this.crossShard = crossShard;
	}

	@Override
	public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
		return this.closed.call(shard, () -> enqueued(begin(shard, arguments(shard, payloads)).get()));
	}

	@Override
	public BatchResult enqueueAll(List<ShardPayloads> all) {
		return this.closed.callAll(all, (some) -> enqueueAllIfOpen(some, this::begin), false);
	}

	@Override
	public BatchResult enqueueFenced(List<ShardPayloads> all, OutboxCall outbox) {
		return this.closed.callAll(all,
				(some) -> enqueueAllIfOpen(some, (shard, arguments) -> beginFenced(shard, arguments, outbox)),
				outbox.keeps());
	}

	private BatchResult enqueueAllIfOpen(List<ShardPayloads> all, BiFunction<Shard, byte[][], Supplier<Reply>> begin) {
		AtomicInteger merged = new AtomicInteger();
		Map<Integer, StoreException> problems = new HashMap<>();
		PipelinedCalls calls = new PipelinedCalls(begin, PipelinedCalls.MAX_UNDER_WAY,
				(reply) -> merged.addAndGet(reply.count(0)), problems::put);
		for (ShardPayloads some : all) {
			calls.add(some.shard(), arguments(some.shard(), some.payloads()));
		}
		calls.end();
		return new BatchResult(merged.get(), problems);
	}

	private Supplier<Reply> begin(Shard shard, byte[][] arguments) {
		Supplier<Reply> reply = this.producer.begin(ENQUEUE, this.keys.of(shard), this.clock.before(arguments));
		return () -> open(shard, reply.get());
	}

	private Supplier<Reply> beginFenced(Shard shard, byte[][] arguments, OutboxCall outbox) {
		List<byte[]> all = new ArrayList<>(List.of(this.clock.before(arguments)));
		Collections.addAll(all, argument(outbox.outbox()), argument(outbox.stamp().number()),
				argument(outbox.stamp().token()));
		if (outbox.keeps()) {
			Collections.addAll(all, argument(outbox.last(shard).number()), argument(outbox.last(shard).token()));
		}
		Supplier<Reply> reply = this.producer.begin(ENQUEUE, this.keys.withCalls(shard), all.toArray(byte[][]::new));
		return () -> confirmed(shard, open(shard, reply.get()), outbox);
	}

	private static Reply confirmed(Shard shard, Reply reply, OutboxCall outbox) {
		if (reply.number(0) == HAS_FORGOTTEN) {
			throw new ForgottenCallsException(shard, new OutboxCall.Stamp(reply.number(2), reply.number(3)));
		}
		if (reply.number(0) == LATE) {
			throw new LateCallException(shard, reply.number(2));
		}
		if (reply.size() == 2) {
			outbox.confirmed(shard);
		}
		return reply;
	}

	private static Reply open(Shard shard, Reply reply) {
		if (reply.number(0) == -1) {
			throw new QueueClosedException(shard, reply.number(2), reply.number(1));
		}
		return reply;
	}

	private byte[][] arguments(Shard shard, List<NewPayload> payloads) {
		return arguments(shard, payloads, Remembered.NOTHING);
	}

	private byte[][] arguments(Shard shard, List<NewPayload> payloads, Remembered remembered) {
		return new byte[][] { argument(shard.toString()), this.keys.wakeChannels(),
				PackedPayload.pack(payloads, remembered) };
	}

	@Override
	public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
			Remembered remembered) {
		return this.closed.start(shard,
				() -> result(ENQUEUE,
						this.connections.startOnce(ENQUEUE, this.keys.of(shard),
								this.clock.before(arguments(shard, payloads, remembered))),
						(reply) -> enqueued(open(shard, reply))));
	}

	private static EnqueueResult enqueued(Reply reply) {
		return (reply.number(0) == REMEMBERS_OTHERS)
				? new EnqueueResult(0, reply.number(1), new Remembered(reply.number(2), reply.number(3)))
				: new EnqueueResult(reply.count(0), reply.number(1));
	}

	@Override
	public boolean isQueued(Shard shard, String id) {
		byte[][] arguments = this.clock.before(argument("QUEUED"), IdBytes.encode(id), argument(0));
		return this.producer.run(FIND, this.keys.of(shard), arguments).size() > 0;
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
		return this.closed.start(shard, () -> acquireIfOpen(shard, request));
	}

	private CompletableFuture<Acquisition> acquireIfOpen(Shard shard, LeaseRequest request) {
		String from = request.from();
		return start(ACQUIRE, shard, (reply) -> acquisition(shard, request, reply), argument(request.session()),
				argument((from != null) ? from : ""), argument(request.crashed()), argument(request.epoch()),
				argument(request.sequence()), argument(MAX_CRASHES), argument(POISON_PILL), packed(request.gathering()),
				this.keys.wakeChannels(), argument(shard.toString()));
	}

	private static byte[] packed(Gathering gathering) {
		GatheringPolicy policy = gathering.policy();
		if (!policy.isAny()) {
			return new byte[0];
		}
		int flags = (policy.keepLatest() ? 1 : 0) | (policy.equalLatest() ? 2 : 0) | (policy.retryNow() ? 4 : 0);
		return new PackedBytes().putDouble((double) policy.debounce().toMillis())
			.putDouble((double) policy.maxWait().toMillis())
			.putDouble((double) policy.minInterval().toMillis())
			.putInt(gathering.maxPayloads())
			.putByte(flags)
			.toBytes();
	}

	private static Acquisition acquisition(Shard shard, LeaseRequest request, Reply reply) {
		if (reply.number(0) == CLOSED) {
			throw new QueueClosedException(shard, reply.number(1), reply.number(2));
		}
		if (reply.number(0) == HELD) {
			return new Acquisition.Held(reply.text(1), reply.number(2));
		}
		if (reply.number(0) == FREE) {
			return new Acquisition.Free();
		}
		Lease lease = new Lease(shard, request.session(), reply.number(1));
		return new Acquisition.Acquired(lease, reply.count(2), reply.number(3) == 1, reply.time(4), reply.time(5),
				reply.number(6), reply.number(7), lastCall(reply, CALL_BEFORE), reply.isNull(LAST_ACCOUNT)
						? WaitingGroups.NONE : WaitingGroups.before((double) reply.number(LAST_ACCOUNT)));
	}

	private static LastCall lastCall(Reply reply, int first) {
		return new LastCall(reply.number(first), reply.number(first + 1), reply.number(first + 2));
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch) {
		byte[] call = new PackedBytes(CALL_BYTES).putDouble((double) lease.epoch())
			.putDouble((double) sequence)
			.putInt(busy)
			.putInt(fetch.jobs())
			.putInt(fetch.payloads())
			.putByte(fetch.suspects() ? 1 : 0)
			.putBytes(Utf8.bytes(lease.session()))
			.toBytes();
		Function<Reply, FetchResult> reader = (reply) -> fetchResult(lease, sequence, reply);
		GroupTurns groups = fetch.groups();
		return (groups != null)
				? start(COMPLETE_AND_FETCH, lease.shard(), reader, call, PackedOutcomes.pack(outcomes), packed(groups))
				: start(COMPLETE_AND_FETCH, lease.shard(), reader, call, PackedOutcomes.pack(outcomes));
	}

	private static byte[] packed(GroupTurns turns) {
		PackedBytes packed = new PackedBytes().putBytes(IdBytes.encode(turns.separator()))
			.putByte(turns.others() ? 1 : 0)
			.putInt(turns.share())
			.putDouble(turns.smallest())
			.putDouble(turns.entry())
			.putDouble(turns.charge())
			.putInt(turns.answered());
		turns.uses()
			.forEach((use) -> packed.putBytes(IdBytes.encode(use.group()))
				.putDouble(use.account())
				.putInt(use.running())
				.putInt(use.weight())
				.putInt(use.room()));
		return packed.toBytes();
	}

	private static FetchResult fetchResult(Lease lease, long sequence, Reply reply) {
		if (reply.number(0) != lease.epoch() || reply.number(1) != sequence) {
			throw new StoreException("Redis' reply belongs to another call: the connection is out of step", null);
		}
		int status = reply.count(2);
		if (status != FETCHED) {
			LastCall last = lastCall(reply, LAST_CALL);
			return (status == FENCED) ? new FetchResult.Fenced(last) : new FetchResult.OutOfStep(last);
		}
		long now = reply.number(5);
		List<FetchedJob> jobs = new ArrayList<>();
		for (int i = FIRST_JOB; i < reply.size(); i += 2) {
			jobs.add(JobEntry.parse(reply.id(i), reply.bytes(i + 1), now));
		}
		return new FetchResult.Fetched(jobs, reply.time(3), reply.time(4), now, reply.count(6),
				reply.isNull(GROUPS) ? WaitingGroups.NONE : waiting(reply.inner(GROUPS)));
	}

	private static WaitingGroups waiting(Reply reply) {
		int firstFull = FIRST_GROUP + 2 * reply.count(2);
		List<WaitingGroups.Waiting> first = new ArrayList<>();
		for (int i = FIRST_GROUP; i < firstFull; i += 2) {
			first.add(new WaitingGroups.Waiting(reply.id(i), reply.decimal(i + 1)));
		}
		Set<String> full = IntStream.range(firstFull, reply.size())
			.mapToObj(reply::id)
			.collect(Collectors.toCollection(LinkedHashSet::new));
		return new WaitingGroups(reply.number(0) == 1, reply.number(1) == 1, 0, first, full);
	}

	@Override
	public CompletableFuture<NextFollowUps> moveFollowUps(Lease lease, Collection<EnqueuedFollowUps> enqueued,
			long after) {
		PackedBytes packed = new PackedBytes();
		enqueued.forEach((some) -> {
			packed.putBytes(Utf8.bytes(some.target().toString())).putInt(some.numbers().size());
			some.numbers().forEach((number) -> packed.putDouble((double) number));
		});
		byte[][] arguments = { argument(lease.session()), argument(lease.epoch()), argument(lease.shard().toString()),
				packed.toBytes(), argument(after), argument(MAX_FOLLOW_UPS), argument(ShardPayloads.MAX_BYTES) };
		List<Shard> targets = enqueued.stream().map(EnqueuedFollowUps::target).toList();
		return result(MOVE_FOLLOW_UPS, this.crossShard.start(MOVE_FOLLOW_UPS, lease.shard(), targets, arguments),
				(reply) -> next(lease, reply));
	}

	private static byte[] packed(Collection<Shard> shards) {
		PackedBytes names = new PackedBytes();
		shards.forEach((shard) -> names.putBytes(Utf8.bytes(shard.toString())));
		return names.toBytes();
	}

	@Override
	public CompletableFuture<List<Shard>> followUpTargets(Lease lease, Collection<Shard> forgotten) {
		return start(FOLLOW_UP_TARGETS, lease.shard(),
				(reply) -> IntStream.range(0, reply.size()).mapToObj((i) -> Shard.parse(reply.text(i))).toList(),
				argument(lease.session()), argument(lease.epoch()), packed(forgotten), argument(MAX_TARGETS));
	}

	@Override
	public CompletableFuture<Boolean> forgetOrigin(Shard shard, Origin last, boolean orEarlier) {
		return start(FORGET_ORIGIN, shard, (reply) -> reply.number(0) == 1, argument(last.shard().toString()),
				argument(last.epoch()), argument(last.number()), argument(orEarlier));
	}

	private static NextFollowUps next(Lease lease, Reply reply) {
		List<StoredFollowUp> next = new ArrayList<>();
		List<NextFollowUps.Unreadable> unreadable = new ArrayList<>();
		for (int i = 1; i < reply.size(); i += 3) {
			Origin origin = new Origin(lease.shard(), reply.number(i), reply.number(i + 1));
			FollowUp followUp = FollowUp.parse(reply.bytes(i + 2));
			if (followUp != null) {
				next.add(new StoredFollowUp(origin, followUp));
			}
			else {
				unreadable.add(new NextFollowUps.Unreadable(origin.number(), FollowUp.queueOf(reply.bytes(i + 2))));
			}
		}
		return new NextFollowUps(next, unreadable, reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
		return start(RELEASE, lease.shard(), (reply) -> reply.number(0) == 1, argument(lease.session()),
				argument(lease.epoch()), argument(sequence), PackedOutcomes.pack(outcomes), this.keys.commonChannel(),
				argument(lease.shard().toString()));
	}

	private <T> CompletableFuture<T> start(LuaScript script, Shard shard, Function<Reply, T> reader,
			byte[]... arguments) {
		return result(script, this.connections.start(script, this.keys.of(shard), this.clock.before(arguments)),
				reader);
	}

	private static <T> CompletableFuture<T> result(LuaScript script, CompletableFuture<Reply> started,
			Function<Reply, T> reader) {
		CompletableFuture<T> result = new CompletableFuture<>();
		CompletableFuture<?> unused = started.whenComplete((reply, ex) -> {
			if (ex != null) {
				result.completeExceptionally(RedisProblem.of(script.task(), ex));
				return;
			}
			try {
				result.complete(reader.apply(reply));
			}
			catch (RuntimeException problem) {
				result.completeExceptionally(problem);
			}
		});
		return result;
	}

}
