package io.lowkiq.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import io.lowkiq.testing.TestAdmin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FollowUpMoverTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore memory = this.redis.store();

	private final Set<Shard> refusing = ConcurrentHashMap.newKeySet();

	private final Set<Shard> refusingOnce = ConcurrentHashMap.newKeySet();

	private final Set<Shard> away = ConcurrentHashMap.newKeySet();

	private final ShardStore store = new ObservedShardStore(this.memory.shards()) {

		private EnqueueResult enqueue(Shard shard, List<NewPayload> payloads, Remembered remembered) {
			if (FollowUpMoverTests.this.refusing.contains(shard)) {
				throw new StoreException("refused", null);
			}
			if (FollowUpMoverTests.this.refusingOnce.remove(shard)) {
				throw new StoreException("refused once", null);
			}
			if (FollowUpMoverTests.this.away.contains(shard)) {
				throw new StoreUnreachableException("away", null);
			}
			return super.enqueueFollowUps(shard, payloads, remembered).join();
		}

		@Override
		public CompletableFuture<NextFollowUps> moveFollowUps(Lease owned, Collection<EnqueuedFollowUps> enqueued,
				long after) {
			return super.moveFollowUps(owned, enqueued, after)
				.thenApply((next) -> new NextFollowUps(watched(next.followUps()), next.unreadable(), next.forgotten()));
		}

		@Override
		public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
				Remembered remembered) {
			if (FollowUpMoverTests.this.hanging.contains(shard)) {
				CompletableFuture<EnqueueResult> answer = new CompletableFuture<>();
				FollowUpMoverTests.this.held.add(() -> answer.complete(enqueue(shard, payloads, remembered)));
				return answer;
			}
			FollowUpMoverTests.this.calls.add(() -> super.enqueueFollowUps(shard, payloads, remembered).join());
			try {
				return CompletableFuture.completedFuture(enqueue(shard, payloads, remembered));
			}
			catch (StoreException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

	};

	/** Makes each call that has enqueued again. */
	private final List<Supplier<EnqueueResult>> calls = new ArrayList<>();

	private final Set<Shard> hanging = ConcurrentHashMap.newKeySet();

	/** Calls that hang. */
	private final List<Runnable> held = new ArrayList<>();

	private final AtomicLong nanoTime = new AtomicLong();

	/** Run when the second follow-up of a batch is read, and after each step. */
	private final Queue<Runnable> lookUps = new ArrayDeque<>();

	private final FollowUpMover mover = new FollowUpMover(this.store, this.memory.queues(), LowkiqObserver.NONE,
			new SystemRuntime(this.nanoTime::get), this.lookUps::add);

	private Lease lease;

	private final List<Outcome> outcomes = new ArrayList<>();

	private QueueLayout mails;

	@BeforeEach
	void acquire() {
		Shard source = this.memory.queues().register("orders", 1).shard(0);
		this.mails = this.memory.queues().register("mails", 2);
		this.memory.shards().enqueue(source, List.of(NewPayload.of("a", new byte[] { 1 })));
		this.lease = acquire(source, LeaseRequest.forFreeShard("s")).lease();
		this.memory.shards().completeAndFetch(this.lease, 1, 0, List.of(), new Fetch(1, 10, false)).join();
	}

	private Acquisition.Acquired acquire(Shard shard, LeaseRequest request) {
		return (Acquisition.Acquired) this.memory.shards().acquire(shard, request).join();
	}

	private void followUp(String queue, String id, String payload) {
		FollowUp followUp = new FollowUp(queue, NewPayload.of(id, payload.getBytes(StandardCharsets.UTF_8)));
		this.outcomes.add(new Outcome.FollowUp("a", this.outcomes.size() + 1, followUp));
	}

	/** Payloads from p100 on, for the shards of the queue by turns. */
	private void followUps(int end) {
		for (int i = 100; i < end; i++) {
			followUp("mails", idIn(i % 2), "p" + i);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** Finds what is looked up when the second of some follow-ups is read. */
	private List<StoredFollowUp> watched(List<StoredFollowUp> found) {
		return new AbstractList<StoredFollowUp>() {

			@Override
			public StoredFollowUp get(int index) {
				if (index == 1) {
					lookUp();
				}
				return found.get(index);
			}

			@Override
			public int size() {
				return found.size();
			}

		};
	}

	private void lookUp() {
		for (Runnable next = this.lookUps.poll(); next != null; next = this.lookUps.poll()) {
			next.run();
		}
	}

	private @Nullable Throwable move() {
		complete();
		return begin(this.lease).problem();
	}

	/** Moves what waits in a shard, until nothing is due. */
	private ShardFollowUps begin(Lease owned) {
		ShardFollowUps moving = new ShardFollowUps(this.mover, owned, () -> {
		});
		moving.wake();
		advance(moving);
		return moving;
	}

	private void complete() {
		if (!this.outcomes.isEmpty()) {
			this.outcomes.add(new Outcome.Done("a"));
			this.memory.shards()
				.completeAndFetch(this.lease, 2, 1, List.copyOf(this.outcomes), new Fetch(0, 10, false))
				.join();
			this.outcomes.clear();
		}
	}

	private int left() {
		return this.memory.shards().moveFollowUps(this.lease, List.of(), 0).join().followUps().size();
	}

	private List<String> queued(String id) {
		return queued("mails", id);
	}

	private List<String> queued(String queue, String id) {
		Shard shard = this.memory.queues().find(queue).orElseThrow().shardOf(id);
		return this.memory.inspection()
			.find(shard, JobView.State.QUEUED, id, 1_000)
			.map((job) -> job.payloads()
				.stream()
				.map((payload) -> new String(payload.bytes(), StandardCharsets.UTF_8))
				.toList())
			.orElse(List.of());
	}

	private String idIn(int shard) {
		return ServerFixture.idIn(this.mails, shard);
	}

	@Test
	void allAreEnqueuedInTheirOrder() {
		followUps(350);
		assertThat(move()).isNull();
		assertThat(left()).isZero();
		assertThat(queued(idIn(0))).hasSize(125).isSorted();
		assertThat(queued(idIn(1))).hasSize(125).isSorted();
	}

	@Test
	void oneThatIsRefusedStaysWithThoseForItsShardAndHoldsUpNoOthers() {
		this.refusing.add(this.mails.shard(0));
		followUps(350);
		assertThat(move()).hasMessage("refused");
		assertThat(queued(idIn(0))).isEmpty();
		assertThat(queued(idIn(1))).hasSize(125);
		assertThat(left()).isEqualTo(100);
		this.refusing.clear();
		assertThat(move()).isNull();
		assertThat(left()).isZero();
		assertThat(queued(idIn(0))).hasSize(125).isSorted();
	}

	@Test
	void oneThatIsRefusedOnceHoldsUpLaterBatchesForItsShard() {
		this.refusingOnce.add(this.mails.shard(0));
		for (int i = 100; i < 350; i++) {
			followUp("mails", idIn(0), "p" + i);
		}
		assertThat(move()).hasMessage("refused once");
		assertThat(queued(idIn(0))).isEmpty();
		assertThat(move()).isNull();
		assertThat(queued(idIn(0))).hasSize(250).isSorted();
	}

	@Test
	void oneForAShardThatHangsHoldsUpOnlyWhatGoesThere() {
		followUps(450);
		this.hanging.add(this.mails.shard(0));
		complete();
		ShardFollowUps moving = begin(this.lease);
		assertThat(queued(idIn(1))).hasSize(50);
		assertThat(moving.isUnderWay()).isTrue();
		pass(Duration.ofMillis(50), moving);
		assertThat(queued(idIn(1))).hasSize(175).isSorted();
		assertThat(queued(idIn(0))).isEmpty();
		assertThat(this.held).as("One call a shard at a time").hasSize(1);
		assertThat(moving.reached()).isEqualTo(350);
		assertThat(moving.pending()).isEqualTo(175);
		assertThat(moving.problem()).isNull();
		this.hanging.clear();
		this.held.forEach(Runnable::run);
		advance(moving);
		assertThat(queued(idIn(0))).hasSize(175).isSorted();
		assertThat(moving.isIdle()).isTrue();
		assertThat(left()).isZero();
	}

	@Test
	void aCallThatIsNeverAnsweredIsRefusedAndMadeAgain() {
		followUp("mails", idIn(0), "p");
		this.hanging.add(this.mails.shard(0));
		complete();
		ShardFollowUps moving = begin(this.lease);
		pass(Duration.ofSeconds(60), moving);
		assertThat(moving.problem()).hasMessage("No answer from the store for 60 s");
		assertThat(moving.pending()).isZero();
		this.hanging.clear();
		pass(Duration.ofSeconds(1), moving);
		assertThat(moving.problem()).isNull();
		this.held.forEach(Runnable::run);
		assertThat(queued(idIn(0))).containsExactly("p");
		assertThat(left()).isZero();
	}

	private List<String> remembered(String shard) {
		List<?> members = (List<?>) this.redis
			.call(bytes("ZRANGE"), bytes("lowkiq:{" + shard + "}:follow-ups"), bytes("0"), bytes("-1"))
			.join();
		return members.stream().map((member) -> new String((byte[]) member, StandardCharsets.UTF_8)).toList();
	}

	@Test
	void nothingIsRememberedOfFollowUpsThatWereMovedSomeTimeAgo() {
		followUp("mails", idIn(0), "p");
		followUp("mails", idIn(1), "q");
		complete();
		ShardFollowUps moving = begin(this.lease);
		assertThat(remembered("orders:1:0")).containsExactlyInAnyOrder("sent:mails:1:0", "sent:mails:1:1");
		assertThat(remembered("mails:1:0")).containsExactlyInAnyOrder("epoch:orders:1:0", "number:orders:1:0");
		this.nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
		assertThat(moving.isDone()).isFalse();
		advance(moving);
		assertThat(moving.isDone()).isTrue();
		assertThat(remembered("orders:1:0")).isEmpty();
		assertThat(remembered("mails:1:0")).containsExactly("forgotten");
		assertThat(remembered("mails:1:1")).containsExactly("forgotten");
	}

	@Test
	void aLateCallEnqueuesNothingAfterItWasForgotten() {
		nothingIsRememberedOfFollowUpsThatWereMovedSomeTimeAgo();
		assertThat(this.calls).hasSize(2);
		for (Supplier<EnqueueResult> late : this.calls) {
			assertThat(late.get().remembered()).isEqualTo(new Remembered(0, 1));
		}
		assertThat(queued(idIn(0))).containsExactly("p");
		this.memory.actions().delete(this.mails.shard(0), List.of(idIn(0)));
		assertThat(this.calls).allSatisfy((late) -> assertThat(late.get()).isNotNull());
		assertThat(queued(idIn(0))).isEmpty();
	}

	@Test
	void followUpsComeOnceAfterEarlierOnesWereForgotten() {
		nothingIsRememberedOfFollowUpsThatWereMovedSomeTimeAgo();
		this.memory.shards().enqueue(this.lease.shard(), List.of(NewPayload.of("a", new byte[] { 1 })));
		this.memory.shards().completeAndFetch(this.lease, 3, 0, List.of(), new Fetch(1, 10, false)).join();
		this.memory.shards()
			.completeAndFetch(this.lease, 4, 1,
					List.of(new Outcome.FollowUp("a", 3, new FollowUp("mails", NewPayload.of(idIn(0), bytes("r")))),
							new Outcome.Done("a")),
					Fetch.NONE)
			.join();
		assertThat(move()).isNull();
		assertThat(queued(idIn(0))).containsExactly("p", "r");
		assertThat(left()).isZero();
		assertThat(this.calls).allSatisfy((late) -> assertThat(late.get()).isNotNull());
		assertThat(queued(idIn(0))).containsExactly("p", "r");
	}

	@Test
	void theNextOwnerLetsForgetWhatADeadOneHasMoved() {
		followUp("mails", idIn(0), "p");
		assertThat(move()).isNull();
		Acquisition.Acquired next = acquire(this.lease.shard(), LeaseRequest.afterCrash("t", "s"));
		assertThat(next.lastFollowUp()).isEqualTo(-1);
		this.lease = next.lease();
		ShardFollowUps moving = begin(this.lease);
		pass(Duration.ofMinutes(1), moving);
		assertThat(remembered("mails:1:0")).containsExactly("forgotten");
		assertThat(acquire(this.lease.shard(), LeaseRequest.afterCrash("u", "t")).lastFollowUp()).isZero();
	}

	@Test
	void shardsForgetInStepsEachOfWhichTakesATurn() {
		QueueLayout targets = this.memory.queues().register("targets", 25);
		for (int i = 0; i < 25; i++) {
			followUp("targets", ServerFixture.idIn(targets, i), "p");
		}
		complete();
		ShardFollowUps moving = begin(this.lease);
		this.nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
		List<Integer> left = new ArrayList<>();
		while (!moving.isDone()) {
			assertThat(moving.advance(false)).isZero();
			moving.advance(true);
			left.add((int) targets.allShards()
				.stream()
				.filter((shard) -> remembered(shard.toString()).size() > 1)
				.count());
		}
		assertThat(left).containsExactly(25, 15, 5, 0, 0);
		assertThat(remembered("orders:1:0")).isEmpty();
	}

	@Test
	void aQueueThatIsRemovedIsForgottenByTheOthers() {
		followUp("mails", idIn(0), "p");
		followUp("unknown", "b", "p");
		assertThat(move()).isNotNull();
		assertThat(this.memory.shards().release(this.lease, 3, List.of()).join()).isTrue();
		LowkiqAdmin admin = TestAdmin.of(this.memory);
		assertThat(admin.removeQueue("orders")).isEqualTo(1);
		assertThat(remembered("orders:1:0")).isEmpty();
		assertThat(remembered("mails:1:0")).containsExactly("forgotten");
		assertThat(this.calls)
			.allSatisfy((late) -> assertThat(late.get().remembered()).isEqualTo(new Remembered(0, 1)));
	}

	@Test
	void whatIsRedirectedLeavesNoOriginBehind() {
		followUp("unknown", idIn(0), "p");
		followUp("mails", idIn(0), "q");
		assertThat(move()).isNotNull();
		LowkiqAdmin admin = TestAdmin.of(this.memory);
		assertThat(admin.redirectFollowUps("unknown", "mails")).isEqualTo(1);
		assertThat(queued(idIn(0))).containsExactly("q", "p");
		assertThat(remembered("mails:1:0")).containsExactlyInAnyOrder("epoch:orders:1:0", "number:orders:1:0",
				"forgotten");
	}

	@Test
	void memoryDoesNotGrowWithThePairsOfShards() {
		int shards = 30;
		QueueLayout sources = this.memory.queues().register("sources", shards);
		QueueLayout targets = this.memory.queues().register("targets", shards);
		List<String> ids = IntStream.range(0, shards).mapToObj((i) -> ServerFixture.idIn(targets, i)).toList();
		List<ShardFollowUps> all = new ArrayList<>();
		for (Shard source : sources.allShards()) {
			this.memory.shards().enqueue(source, List.of(NewPayload.of("a", new byte[] { 1 })));
			Lease owned = acquire(source, LeaseRequest.forFreeShard("s")).lease();
			this.memory.shards().completeAndFetch(owned, 1, 0, List.of(), new Fetch(1, 10, false)).join();
			List<Outcome> next = new ArrayList<>();
			for (String id : ids) {
				next.add(new Outcome.FollowUp("a", next.size() + 1L,
						new FollowUp("targets", NewPayload.of(id, bytes(source.toString())))));
			}
			next.add(new Outcome.Done("a"));
			this.memory.shards().completeAndFetch(owned, 2, 1, next, Fetch.NONE).join();
			all.add(begin(owned));
		}
		assertThat(entries(sources) + entries(targets)).isEqualTo(3 * shards * shards);
		this.nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
		all.forEach(this::advance);
		assertThat(entries(sources)).isZero();
		assertThat(entries(targets)).as("One counter a shard").isEqualTo(shards);
		assertThat(this.memory.inspection().counts(targets.allShards())).allMatch((counts) -> counts.queued() == 1);
	}

	private int entries(QueueLayout queue) {
		return queue.allShards().stream().mapToInt((shard) -> remembered(shard.toString()).size()).sum();
	}

	private void pass(Duration time, ShardFollowUps moving) {
		this.nanoTime.addAndGet(time.toNanos());
		advance(moving);
	}

	/** Moves until nothing is due. */
	private void advance(ShardFollowUps moving) {
		long wait = 0;
		for (int i = 0; i < 100 && wait <= 0; i++) {
			wait = moving.advance(true);
			if (!this.lookUps.isEmpty()) {
				lookUp();
				wait = 0;
			}
		}
		assertThat(wait).isPositive();
	}

	/** A failover of which nothing was noticed. */
	@Test
	void whatAFailoverBringsBackIsFoundWhenNothingHasWaitedForAMinute() {
		followUp("mails", idIn(0), "p");
		complete();
		Faults.Snapshot replica = this.redis.faults().snapshot();
		ShardFollowUps moving = begin(this.lease);
		assertThat(queued(idIn(0))).containsExactly("p");
		this.redis.faults().promote(replica);
		assertThat(queued(idIn(0))).isEmpty();
		pass(Duration.ofMinutes(1), moving);
		assertThat(queued(idIn(0))).containsExactly("p");
		assertThat(left()).isZero();
		assertThat(moving.isDone()).as("A minute after that").isFalse();
	}

	/** The owner changes while the last one lets others forget. */
	@Test
	void onlyWhatTheLeaseHasMovedIsForgotten() {
		followUp("mails", idIn(0), "p");
		assertThat(move()).isNull();
		Origin later = new Origin(this.lease.shard(), this.lease.epoch() + 1, 1);
		Remembered moved = new Remembered(this.lease.epoch(), 1);
		NewPayload next = NewPayload.of(idIn(0), bytes("q")).from(later);
		assertThat(this.memory.shards().enqueueFollowUps(this.mails.shard(0), List.of(next), moved).join().remembered())
			.isNull();
		assertThat(this.mover.forgetSome(this.lease, 1, List.of()).join()).containsExactly(this.mails.shard(0));
		assertThat(remembered("mails:1:0")).containsExactlyInAnyOrder("epoch:orders:1:0", "number:orders:1:0");
		assertThat(this.memory.shards()
			.enqueueFollowUps(this.mails.shard(0), List.of(next), new Remembered(later.epoch(), 1))
			.join()
			.merged()).as("It is a repetition").isEqualTo(1);
	}

	@Test
	void oneThatCannotBeReadHoldsUpOnlyThoseForItsQueue() {
		this.memory.queues().register("prints", 1);
		String id = idIn(0);
		for (int i = 101; i <= 350; i++) {
			followUp((i % 2 == 0) ? "mails" : "prints", id, "p" + i);
		}
		complete();
		byte[] key = bytes("lowkiq:{orders:1:0}:follow-ups");
		byte[] newer = ((byte[]) ((List<?>) this.redis.call(bytes("ZRANGE"), key, bytes("49"), bytes("49")).join())
			.get(0));
		changeFlags(key, newer, 50, 0x80);
		ShardFollowUps moving = begin(this.lease);
		assertThat(moving.problem()).hasMessageStartingWith("Follow-up 50 in shard orders:1:0 can't be read")
			.hasMessageEndingWith("later ones of its shard for queue mails wait for it");
		assertThat(queued("prints", id)).hasSize(125).isSorted();
		assertThat(queued(id)).hasSize(24).isSorted();
		byte[] changed = (byte[]) ((List<?>) this.redis.call(bytes("ZRANGEBYSCORE"), key, bytes("50"), bytes("50"))
			.join()).get(0);
		changeFlags(key, changed, 50, -0x80);
		pass(Duration.ofSeconds(10), moving);
		assertThat(moving.problem()).isNull();
		assertThat(queued(id)).hasSize(125).isSorted();
		assertThat(queued("prints", id)).hasSize(125);
		assertThat(left()).isZero();
	}

	/** Changes the flags of a follow-up, behind its epoch, its number and its queue. */
	private void changeFlags(byte[] key, byte[] member, int number, int by) {
		int flags = 16 + Integer.BYTES + ByteBuffer.wrap(member).getInt(16);
		change(key, member, number, flags, by);
	}

	@Test
	void aRoundThatHasNotReadYetEndsNoProblem() {
		followUp("mails", idIn(0), "p");
		complete();
		byte[] meta = bytes("lowkiq:{orders:1:0}:meta");
		byte[] newer = ((byte[]) this.redis.call(bytes("GET"), meta).join()).clone();
		newer[1] |= 4;
		this.redis.call(bytes("SET"), meta, newer).join();
		ShardFollowUps moving = begin(this.lease);
		assertThat(moving.problem()).isInstanceOf(NewerVersionException.class);
		this.nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
		for (int i = 0; i < 3; i++) {
			moving.advance(false);
			assertThat(moving.problem()).isNotNull();
		}
		newer[1] &= ~4;
		this.redis.call(bytes("SET"), meta, newer).join();
		advance(moving);
		assertThat(moving.problem()).isNull();
		assertThat(queued(idIn(0))).containsExactly("p");
	}

	@Test
	void oneWhoseQueueCannotBeReadHoldsUpAllBehindItUntilItCan() {
		followUps(450);
		// Written by a newer version
		complete();
		byte[] key = bytes("lowkiq:{orders:1:0}:follow-ups");
		List<?> members = (List<?>) this.redis.call(bytes("ZRANGE"), key, bytes("150"), bytes("299")).join();
		for (int i = 0; i < 150; i++) {
			change(key, (byte[]) members.get(i), 151 + i, 16, 0x80);
		}
		assertThat(move()).isInstanceOf(StoreException.class)
			.hasMessageStartingWith("Follow-up 151 in shard orders:1:0 can't be read")
			.hasMessageEndingWith("later ones of its shard wait for it");
		assertThat(queued(idIn(0))).hasSize(75).isSorted();
		assertThat(queued(idIn(1))).hasSize(75).isSorted();
		members = (List<?>) this.redis.call(bytes("ZRANGEBYSCORE"), key, bytes("151"), bytes("300")).join();
		for (int i = 0; i < 150; i++) {
			change(key, (byte[]) members.get(i), 151 + i, 16, -0x80);
		}
		assertThat(move()).isNull();
		assertThat(queued(idIn(0))).hasSize(175).isSorted();
		assertThat(queued(idIn(1))).hasSize(175).isSorted();
	}

	private void change(byte[] key, byte[] member, int number, int at, int by) {
		byte[] changed = member.clone();
		changed[at] += (byte) by;
		this.redis.call(bytes("ZREM"), key, member).join();
		this.redis.call(bytes("ZADD"), key, bytes(Integer.toString(number)), changed).join();
	}

	@Test
	void oneForAQueueThatIsNotRecordedWaitsForIt() {
		followUp("unknown", "b", "p");
		followUp("mails", idIn(0), "p");
		assertThat(move()).isInstanceOf(UnknownQueueException.class).hasMessageContaining("'unknown'");
		assertThat(queued(idIn(0))).containsExactly("p");
		this.memory.queues().register("unknown", 1);
		assertThat(move()).isNull();
		assertThat(left()).isZero();
	}

	@Test
	void oneForAMasterThatIsAwayWaitsForIt() {
		this.away.add(this.mails.shard(1));
		followUp("mails", idIn(1), "p");
		followUp("mails", idIn(0), "p");
		assertThat(move()).isInstanceOf(StoreUnreachableException.class);
		assertThat(left()).isEqualTo(1);
		this.away.clear();
		assertThat(move()).isNull();
		assertThat(queued(idIn(0))).containsExactly("p");
		assertThat(queued(idIn(1))).containsExactly("p");
	}

	@Test
	void nothingIsMovedUnderALeaseThatIsNotCurrent() {
		followUp("mails", idIn(0), "p");
		complete();
		this.memory.shards().acquire(this.lease.shard(), LeaseRequest.afterCrash("t", "s")).join();
		assertThat(ShardFollowUps.moveAll(this.mover, this.lease)).isNull();
		assertThat(queued(idIn(0))).isEmpty();
	}

}
