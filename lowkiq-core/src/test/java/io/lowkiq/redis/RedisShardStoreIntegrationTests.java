package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardPayloads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.RedisCallback;

import static io.lowkiq.redis.RedisShardFixture.NOW;
import static io.lowkiq.redis.RedisShardFixture.payload;
import static io.lowkiq.redis.RedisShardFixture.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The scripts of producers and owners on a real Redis.
 */
class RedisShardStoreIntegrationTests {

	private final RedisShardFixture fixture = new RedisShardFixture();

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void fetchReturnsWhatWasPushedInItsOrder() {
		EnqueueResult result = this.fixture.enqueue(push("b", "1"), push("a", "2"));
		assertThat(result).isEqualTo(new EnqueueResult(0, NOW));
		this.fixture.own();
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(10, 10, false));
		assertThat(turn.jobs()).containsExactly(new FetchedJob("b", NOW, -1, 0, null, List.of(payload("1", NOW))),
				new FetchedJob("a", NOW, -1, 0, null, List.of(payload("2", NOW))));
		assertThat(turn.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(turn.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(turn.now()).isEqualTo(NOW);
		assertThat(this.fixture.fetch(10, new Outcome.Done("a"), new Outcome.Done("b"))).isEmpty();
		assertThat(this.fixture.redis.keys(this.fixture.prefix + "*")).containsExactly(this.fixture.key("meta"));
	}

	@Test
	void fetchTakesOnlyWhatIsDueAndTellsTheNext() {
		this.fixture.enqueue(push("late", "1").withDelay(Duration.ofSeconds(5)), push("past", "1").withPerformAt(7),
				push("now", "1"), push("second", "1"));
		this.fixture.own();
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(2, 10, false));
		assertThat(turn.jobs()).extracting(FetchedJob::id).containsExactly("past", "now");
		assertThat(turn.next()).isEqualTo(NOW);
		turn = this.fixture.turn(new Fetch(2, 10, false), new Outcome.Done("past"), new Outcome.Done("now"));
		assertThat(turn.jobs()).extracting(FetchedJob::id).containsExactly("second");
		assertThat(turn.next()).isEqualTo(NOW + 5000);
		assertThat(this.fixture.fetch(2, new Outcome.Done("second"))).isEmpty();
		this.fixture.advance(5000);
		assertThat(this.fixture.fetch(2)).extracting(FetchedJob::id).containsExactly("late");
	}

	@Test
	void fetchFindsNothingWhileJobsAreBusy() {
		this.fixture.enqueue(push("a", "1"), push("b", "1"));
		this.fixture.own();
		assertThat(this.fixture.fetch(1)).hasSize(1);
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(1, 10, false));
		assertThat(turn.jobs()).isEmpty();
		assertThat(turn.next()).isEqualTo(NOW);
	}

	@Test
	void equalPayloadKeepsTheSmallerScore() {
		this.fixture.enqueue(push("a", "x").withScore(5), push("a", "x").withScore(3), push("a", "x").withScore(4),
				push("a", "x"), push("a", "y").withScore(4), push("a", "y").withScore(2), push("a", "y").withScore(9));
		this.fixture.own();
		assertThat(this.fixture.fetch(1).get(0).payloads()).containsExactly(payload("y", 2), payload("x", 3));
	}

	@Test
	void defaultScoresOfAnIdGrowStrictly() {
		this.fixture.enqueue(push("a", "1"), push("a", "2"));
		this.fixture.enqueue(push("a", "3"));
		this.fixture.now = this.fixture.now.minusSeconds(10);
		this.fixture.enqueue(push("a", "4"));
		this.fixture.own();
		double second = Math.nextUp((double) NOW);
		double third = Math.nextUp(second);
		this.fixture.advance(10_000);
		assertThat(this.fixture.fetch(1).get(0).payloads()).containsExactly(payload("1", NOW), payload("2", second),
				payload("3", third), payload("4", Math.nextUp(third)));
		this.fixture.enqueue(push("a", "5"));
		assertThat(this.fixture.fetch(1, new Outcome.Done("a")).get(0).payloads())
			.containsExactly(payload("5", Math.nextUp(Math.nextUp(third))));
	}

	@Test
	void defaultScoreComesAfterAnyScore() {
		double[] scores = { -1e300, -Math.PI, -1024, -Double.MIN_NORMAL, -Double.MIN_VALUE, 0, Double.MIN_VALUE,
				Double.MIN_NORMAL, 1, 1024, 1e300 };
		this.fixture.own();
		this.fixture.now = this.fixture.now.minusMillis(3 * NOW);
		for (double score : scores) {
			double floor = Math.max(Math.nextUp(score), this.fixture.millis()) + 0.0;
			this.fixture.enqueue(push("a", "1").withScore(score).withPerformAt(-4 * NOW), push("a", "2"));
			assertThat(this.fixture.fetch(1).get(0).payloads()).extracting("score")
				.containsExactlyInAnyOrder(score, floor);
			this.fixture.fetch(0, new Outcome.Done("a"));
		}
	}

	@Test
	void failedJobComesBackMergedWithWhatWasPushedMeanwhile() {
		this.fixture.enqueue(push("a", "1").withScore(1));
		this.fixture.own();
		this.fixture.fetch(1);
		this.fixture.enqueue(push("a", "1").withScore(7), push("a", "0").withScore(0));
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(1, 10, false), new Outcome.Retry("a", 1000, "oops"));
		assertThat(turn.jobs()).isEmpty();
		assertThat(turn.next()).isEqualTo(NOW + 1000);
		this.fixture.advance(1000);
		assertThat(this.fixture.fetch(9))
			.containsExactly(new FetchedJob("a", NOW + 1000, 0, 0, "oops", List.of(payload("0", 0), payload("1", 1))));
		assertThat(this.fixture.redis.hasKey(this.fixture.key("p:a"))).isFalse();
		this.fixture.fetch(9, new Outcome.Retry("a", 0, "again"));
		assertThat(this.fixture.fetch(9, new Outcome.Done("a"))).isEmpty();
	}

	@Test
	void retryWithoutDelayIsFetchedInTheSameTurn() {
		this.fixture.enqueue(push("a", "1"), push("b", "1"));
		this.fixture.own();
		this.fixture.fetch(1);
		assertThat(this.fixture.fetch(9, new Outcome.Retry("a", 0, "oops"))).extracting(FetchedJob::id)
			.containsExactly("b", "a");
	}

	@Test
	void idThatLeftTheLineIsNotFetchedAtItsOldPlace() {
		this.fixture.enqueue(push("a", "1"));
		this.fixture.own();
		this.fixture.fetch(1);
		this.fixture.enqueue(push("a", "2"), push("b", "1"));
		assertThat(this.fixture.fetch(1, new Outcome.Retry("a", 50, "oops"))).extracting(FetchedJob::id)
			.containsExactly("b");
		this.fixture.advance(50);
		this.fixture.enqueue(push("b", "2"));
		assertThat(this.fixture.fetch(1, new Outcome.Done("b"))).extracting(FetchedJob::id).containsExactly("b");
		List<FetchedJob> jobs = this.fixture.fetch(5, new Outcome.Done("b"));
		assertThat(jobs).extracting(FetchedJob::id).containsExactly("a");
		this.fixture.enqueue(push("a", "3"));
		assertThat(this.fixture.fetch(5, new Outcome.Done("a"))).extracting(FetchedJob::id).containsExactly("a");
		assertThat(this.fixture.redis.hasKey(this.fixture.key("line"))).isFalse();
		assertThat(this.fixture.redis.hasKey(this.fixture.key("stale"))).isFalse();
		assertThat(this.fixture.state().stale()).isZero();
	}

	@Test
	void buryingTakesTheSmallestPayloadAndFreesTheOthers() {
		this.fixture.enqueue(push("a", "1").withScore(1), push("a", "2").withScore(2), push("a", "3").withScore(3));
		this.fixture.own();
		this.fixture.fetch(1);
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(1, 10, false), new Outcome.Bury("a", "dead"));
		assertThat(turn.buried()).isEqualTo(1);
		assertThat(turn.jobs())
			.containsExactly(new FetchedJob("a", NOW, -1, 0, null, List.of(payload("2", 2), payload("3", 3))));
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:a"), 0, -1)).containsExactly("1");
	}

	@Test
	void rejectedPayloadsAreBuriedAndTheRestStaysBusy() {
		this.fixture.enqueue(push("a", "1").withScore(1), push("a", "2").withScore(2), push("a", "3").withScore(3));
		this.fixture.own();
		this.fixture.fetch(1);
		FetchResult.Fetched turn = this.fixture.turn(Fetch.NONE, new Outcome.Reject("a", List.of(0, 2), "unreadable"));
		assertThat(turn.buried()).isEqualTo(2);
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:a"), 0, -1)).containsExactly("1", "3");
		assertThat(this.fixture.fetch(1, new Outcome.Retry("a", 0, "oops")).get(0).payloads())
			.containsExactly(payload("2", 2));
		turn = this.fixture.turn(new Fetch(1, 10, false), new Outcome.Reject("a", List.of(0), "unreadable"),
				new Outcome.Done("a"));
		assertThat(turn.buried()).isEqualTo(1);
		assertThat(this.fixture.state().processed()).isZero();
	}

	@Test
	void hotIdIsHandedOverInPartsAndTheRestStaysQueued() {
		this.fixture.enqueue(push("a", "1").withScore(1), push("a", "2").withScore(2), push("a", "3").withScore(3));
		this.fixture.own();
		Fetch two = new Fetch(5, 2, false);
		this.fixture.advance(1);
		FetchResult.Fetched turn = this.fixture.turn(two);
		assertThat(turn.jobs().get(0).payloads()).containsExactly(payload("1", 1), payload("2", 2));
		assertThat(turn.next()).isEqualTo(NOW);
		this.fixture.enqueue(push("a", "0").withScore(0));
		turn = this.fixture.turn(two, new Outcome.Done("a"));
		assertThat(turn.jobs())
			.containsExactly(new FetchedJob("a", NOW, -1, 0, null, List.of(payload("0", 0), payload("3", 3))));
		assertThat(turn.next()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void fencedAndRepeatedCallsChangeNothing() {
		this.fixture.enqueue(push("a", "1"));
		Lease old = this.fixture.own();
		Lease lease = this.fixture.acquire(Claim.free("me")).lease();
		assertThat(lease.epoch()).isEqualTo(old.epoch() + 1);
		ShardStore store = this.fixture.shardStore();
		assertThat(store.turn(old, 9, List.of(), new Fetch(1, 1, false))).isEqualTo(new FetchResult.Fenced());
		assertThat(store.release(old, 9, List.of())).isFalse();
		assertThat(this.fixture.fetch(1)).hasSize(1);
		assertThat(store.turn(lease, 1, List.of(new Outcome.Done("a")), Fetch.NONE))
			.isEqualTo(new FetchResult.OutOfStep());
		assertThat(this.fixture.acquire(Claim.again(lease, 1)).restored()).isEqualTo(1);
	}

	@Test
	void busyJobsStayWhenTheUncertainCallWasNotApplied() {
		this.fixture.enqueue(push("a", "1"));
		Lease lease = this.fixture.own();
		this.fixture.fetch(1);
		Acquisition.Acquired acquired = this.fixture.acquire(Claim.again(lease, 2));
		assertThat(acquired.kept()).isTrue();
		assertThat(acquired.restored()).isZero();
		assertThat(this.fixture.fetch(1, new Outcome.Done("a"))).isEmpty();
		assertThat(this.fixture.state().processed()).isEqualTo(1);
	}

	@Test
	void leaseOfAnotherIsHeldUntilItIsReleasedOrEnded() {
		Lease mine = this.fixture.own();
		ShardStore store = this.fixture.shardStore();
		assertThat(store.acquire(this.fixture.shard, Claim.free("you")))
			.isEqualTo(new Acquisition.Held("me", mine.epoch()));
		assertThat(store.release(mine, 1, List.of())).isTrue();
		assertThat(store.acquire(this.fixture.shard, Claim.free("you"))).isInstanceOf(Acquisition.Acquired.class);
		assertThat(store.acquire(this.fixture.shard, Claim.crashed("me", "you")))
			.isInstanceOf(Acquisition.Acquired.class);
	}

	@Test
	void jobsOfACrashAreSuspectsAndDieOfTooMany() {
		this.fixture.enqueue(push("guilty", "1"));
		String session = "s0";
		this.fixture.acquire(Claim.free(session));
		assertThat(this.fixture.fetch(1)).hasSize(1);
		for (int crashes = 1; crashes <= ShardStore.MAX_CRASHES; crashes++) {
			String next = "s" + crashes;
			Acquisition.Acquired acquired = this.fixture.acquire(Claim.crashed(next, session));
			assertThat(acquired.restored()).isEqualTo(1);
			assertThat(acquired.nextSuspect()).isEqualTo(NOW);
			assertThat(acquired.next()).isEqualTo(FetchResult.NOTHING);
			assertThat(this.fixture.fetch(1)).isEmpty();
			assertThat(this.fixture.fetchSuspect()).extracting(FetchedJob::crashes).containsExactly(crashes);
			session = next;
		}
		Acquisition.Acquired acquired = this.fixture.acquire(Claim.crashed("last", session));
		assertThat(acquired.restored()).isZero();
		assertThat(acquired.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:guilty"), 0, -1)).containsExactly("1");
	}

	@Test
	void suspectIsFetchedAlone() {
		this.fixture.enqueue(push("a", "1"), push("b", "1"));
		this.fixture.acquire(Claim.free("dead"));
		this.fixture.fetch(2);
		this.fixture.enqueue(push("c", "1"));
		this.fixture.acquire(Claim.crashed("me", "dead"));
		assertThat(this.fixture.fetchSuspect()).extracting(FetchedJob::id).containsExactly("a");
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(9, 9, true), new Outcome.Done("a"));
		assertThat(turn.jobs()).extracting(FetchedJob::id).containsExactly("b");
		assertThat(turn.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(turn.next()).isEqualTo(NOW);
		assertThat(this.fixture.fetch(9, new Outcome.Retry("b", 0, "oops"))).extracting(FetchedJob::id)
			.containsExactly("c", "b");
	}

	@Test
	void releaseRestoresWithoutMarking() {
		this.fixture.enqueue(push("a", "1"), push("b", "1"));
		Lease lease = this.fixture.own();
		this.fixture.fetch(2);
		assertThat(this.fixture.shardStore().release(lease, 9, List.of(new Outcome.Done("a")))).isTrue();
		this.fixture.own();
		assertThat(this.fixture.fetch(9))
			.containsExactly(new FetchedJob("b", NOW, -1, 0, null, List.of(payload("1", NOW))));
	}

	@Test
	void tenThousandIdsInOneCallChain() {
		List<NewPayload> pushes = new ArrayList<>();
		IntStream.range(0, 10_000).forEach((i) -> pushes.add(push("id-" + i, "payload")));
		assertThat(this.fixture.shardStore().push(this.fixture.shard, pushes).merged()).isZero();
		assertThat(this.fixture.shardStore().push(this.fixture.shard, pushes).merged()).isEqualTo(10_000);
		this.fixture.own();
		List<FetchedJob> jobs = this.fixture.fetch(10_000);
		assertThat(jobs).extracting(FetchedJob::id).isEqualTo(pushes.stream().map(NewPayload::id).toList());
		Outcome[] done = jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new);
		assertThat(this.fixture.fetch(10_000, done)).isEmpty();
		assertThat(this.fixture.state().processed()).isEqualTo(10_000);
	}

	@Test
	void tenThousandBusyJobsAreRestored() {
		List<NewPayload> pushes = IntStream.range(0, 10_000).mapToObj((i) -> push("id-" + i, "payload")).toList();
		this.fixture.shardStore().push(this.fixture.shard, pushes);
		this.fixture.acquire(Claim.free("dead"));
		this.fixture.fetch(10_000);
		assertThat(this.fixture.acquire(Claim.crashed("me", "dead")).restored()).isEqualTo(10_000);
	}

	@Test
	void scriptsAreSentAgainWhenRedisForgotThem() {
		this.fixture.enqueue(push("a", "1"));
		flushScripts();
		this.fixture.own();
		flushScripts();
		assertThat(this.fixture.fetch(1)).hasSize(1);
		flushScripts();
		assertThat(this.fixture.shardStore().release(this.fixture.lease(), 9, List.of())).isTrue();
	}

	@Test
	void pushesIntoSeveralShardsSurviveScriptFlush() {
		Shard other = new Shard("orders", 1, 1);
		flushScripts();
		EnqueueResult result = this.fixture.shardStore()
			.pushAll(List.of(new ShardPayloads(this.fixture.shard, List.of(push("a", "1"))),
					new ShardPayloads(other, List.of(push("b", "1"))),
					new ShardPayloads(this.fixture.shard, List.of(push("a", "2")))));
		assertThat(result.merged()).isEqualTo(1);
		this.fixture.own();
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly("a");
	}

	private void flushScripts() {
		try (RedisConnection connection = this.fixture.connectionFactory.getConnection()) {
			connection.scriptingCommands().scriptFlush();
		}
	}

	@Test
	void idsAreKeptByteForByte() {
		String[] ids = { "\u0000\n\r\"'{}", "é€😀", "\uDCFF\uDC80", " ", "a:b" };
		for (String id : ids) {
			this.fixture.enqueue(push(id, "1"), push(id, "2"));
		}
		this.fixture.own();
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly(ids);
	}

	@Test
	void keyOfAWrongTypeIsAnErrorAndNothingIsWritten() {
		this.fixture.enqueue(push("a", "1"), push("z", "1").withPerformAt(NOW + 1_000));
		for (String name : List.of("line", "later", "busy", "suspects")) {
			this.fixture.own();
			String aside = this.fixture.key("aside");
			boolean there = this.fixture.redis.hasKey(this.fixture.key(name));
			if (there) {
				this.fixture.redis.rename(this.fixture.key(name), aside);
			}
			this.fixture.redis.opsForValue().set(this.fixture.key(name), "wrong");
			assertThatExceptionOfType(StoreException.class).as(name).isThrownBy(() -> this.fixture.fetch(1));
			this.fixture.redis.delete(this.fixture.key(name));
			if (there) {
				this.fixture.redis.rename(aside, this.fixture.key(name));
			}
		}
		this.fixture.acquire(Claim.free("me"));
		assertThat(this.fixture.fetch(5)).hasSize(1);
	}

	@Test
	void stateThatCanNotBeReadIsThatOfAFreeShard() {
		byte[] notNumbers = new byte[108];
		Arrays.fill(notNumbers, (byte) 0xff);
		byte[] known = notNumbers.clone();
		known[0] = 2;
		byte[] kind = new byte[120];
		for (byte[] state : List.of(new byte[] { 1 }, notNumbers, known, kind)) {
			this.fixture.enqueue(push("a", "1"));
			Lease old = this.fixture.own();
			assertThat(this.fixture.fetch(1)).hasSize(1);
			writeState(state);
			assertThat(this.fixture.shardStore().turn(old, 2, List.of(), new Fetch(1, 1, false)))
				.isEqualTo(new FetchResult.Fenced());
			assertThat(this.fixture.enqueue(push("b", "1")).merged()).isZero();
			writeState(state);
			Acquisition.Acquired acquired = this.fixture.acquire(Claim.free("you"));
			assertThat(acquired.lease().epoch()).isGreaterThanOrEqualTo(NOW);
			assertThat(acquired.restored()).as("what is busy in the line is queued again").isZero();
			assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactlyInAnyOrder("a", "b");
			assertThat(this.fixture.shardStore().release(this.fixture.lease(), 99, List.of())).isTrue();
		}
	}

	@Test
	void idThatIsTwiceInTheLineWithoutIndexIsOneJob() {
		Outcome.Done done = new Outcome.Done("a");
		for (Outcome outcome : List.of(done, new Outcome.Retry("a", 0, "oops"), new Outcome.Bury("a", "dead"))) {
			this.fixture.own();
			this.fixture.enqueue(push("a", "1"), push("b", "1"));
			this.fixture.redis.delete(this.fixture.key("ids:0"));
			this.fixture.advance(1);
			this.fixture.enqueue(push("a", "2"));
			double first = this.fixture.millis() - 1;
			List<FetchedJob> jobs = this.fixture.fetch(3);
			assertThat(jobs).extracting(FetchedJob::id).containsExactly("a", "b");
			assertThat(jobs.get(0).payloads()).containsExactly(payload("1", first), payload("2", first + 1));
			jobs = this.fixture.fetch(3, outcome, new Outcome.Done("b"));
			if (outcome instanceof Outcome.Retry) {
				assertThat(jobs).singleElement()
					.satisfies((job) -> assertThat(job.payloads()).containsExactly(payload("1", first),
							payload("2", first + 1)));
			}
			else if (outcome instanceof Outcome.Bury) {
				assertThat(jobs).singleElement()
					.satisfies((job) -> assertThat(job.payloads()).containsExactly(payload("2", first + 1)));
			}
			else {
				assertThat(jobs).isEmpty();
			}
			this.fixture.fetch(0, done);
			this.fixture.advance(1);
		}
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:a"), 0, -1)).containsExactly("1");
	}

	@Test
	void idsThatWerePerformedAreForgottenWhileTheLineIsNeverEmpty() {
		this.fixture.own();
		this.fixture.enqueue(push("first", "1"));
		long most = 0;
		Outcome[] done = {};
		for (int round = 0; round < 100; round++) {
			int first = round * 50;
			this.fixture.advance(1);
			this.fixture.shardStore()
				.push(this.fixture.shard,
						IntStream.range(first, first + 50).mapToObj((i) -> push("id" + i, "1")).toList());
			done = this.fixture.fetch(50, done)
				.stream()
				.map((job) -> new Outcome.Done(job.id()))
				.toArray(Outcome[]::new);
			assertThat(done).hasSize(50);
			most = Math.max(most, indexedIds());
		}
		assertThat(most).as("of 5,000 ids").isBetween(512L, 1_500L);
		assertThat(this.fixture.fetch(50, done)).hasSize(1);
		assertThat(this.fixture.fetch(50, new Outcome.Done("id4999"))).isEmpty();
		assertThat(indexedIds()).as("in a line that is empty").isZero();
	}

	@Test
	void idsOfALongLineAreForgottenWhenItIsPerformed() {
		this.fixture.own();
		for (int i = 0; i < 3; i++) {
			for (int thousand = 0; thousand < 5; thousand++) {
				this.fixture.advance(1);
				int first = thousand * 1_000;
				this.fixture.shardStore()
					.push(this.fixture.shard,
							IntStream.range(first, first + 1_000).mapToObj((k) -> push("id" + k, "1")).toList());
			}
			assertThat(indexedIds()).isEqualTo(5_000);
			assertThat(this.fixture.drain()).hasSize(5_000);
			assertThat(indexedIds()).isZero();
		}
	}

	private long indexedIds() {
		return this.fixture.redis.opsForHash().size(this.fixture.key("ids:0"))
				+ this.fixture.redis.opsForHash().size(this.fixture.key("ids:1"));
	}

	private void writeState(byte[] state) {
		this.fixture.redis.execute((RedisCallback<Boolean>) (connection) -> connection.stringCommands()
			.set(this.fixture.key("meta").getBytes(StandardCharsets.UTF_8), state));
	}

	@Test
	void stateOfAWrongTypeIsAnErrorAndNothingIsWritten() {
		this.fixture.redis.opsForList().rightPush(this.fixture.key("meta"), "wrong");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(push("a", "1")));
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.fixture::own);
		assertThat(this.fixture.redis.keys(this.fixture.prefix + "*")).containsExactly(this.fixture.key("meta"));
	}

	@Test
	void entryThatCanNotBeReadGoesToTheMorgue() {
		this.fixture.own();
		String jobs = this.fixture.key("jobs");
		this.fixture.enqueue(push("short", "1"), push("odd", "1"), push("good", "1"), push("pushed", "1"),
				push("empty", "1"));
		this.fixture.redis.opsForHash().put(jobs, "short", "x");
		this.fixture.redis.opsForHash().put(jobs, "odd", "this is not what lowkiq writes into an entry");
		this.fixture.redis.opsForHash().put(jobs, "empty", "");
		this.fixture.redis.opsForHash().put(jobs, "pushed", "\u0004bad");
		this.fixture.enqueue(push("pushed", "2"));
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(9, 9, false));
		assertThat(turn.jobs()).extracting(FetchedJob::id).containsExactly("good", "pushed");
		assertThat(turn.buried()).isEqualTo(3);
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:short"), 0, -1)).containsExactly("x");
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:pushed"), 0, -1))
			.containsExactly("\u0004bad");
		assertThat(this.fixture.redis.opsForHash().get(this.fixture.key("morgue"), "short").toString())
			.endsWith("can not be read: 1 bytes");
	}

	@Test
	void busyEntryThatCanNotBeReadGoesToTheMorgue() {
		this.fixture.own();
		this.fixture
			.enqueue(Stream.of("a", "b", "c").map((id) -> push(id, "1").withPerformAt(NOW)).toArray(NewPayload[]::new));
		this.fixture.fetch(3);
		this.fixture.redis.opsForHash().put(this.fixture.key("busy"), "a", "x");
		this.fixture.redis.opsForHash().put(this.fixture.key("busy"), "b", "\u0004" + "y".repeat(40));
		assertThat(this.fixture.turn(Fetch.NONE, new Outcome.Retry("a", 0, "oops")).buried()).isEqualTo(1);
		assertThat(this.fixture.acquire(Claim.free("me")).restored()).isEqualTo(1);
		assertThat(this.fixture.fetch(3)).extracting(FetchedJob::id).containsExactly("c");
	}

	@Test
	void entryOfTheLineThatCanNotBeReadGoesToTheMorgue() {
		this.fixture.own();
		this.fixture.enqueue(push("a", "1"), push("b", "1"), push("c", "1"), push("d", "1"), push("e", "1"));
		String line = this.fixture.key("line");
		this.fixture.fetch(2);
		this.fixture.redis.opsForList().set(line, 1, "x");
		this.fixture.redis.opsForList().set(line, 2, "\u0006" + "y".repeat(40));
		this.fixture.redis.opsForList().set(line, 3, "\u0004" + "y".repeat(40));
		assertThat(this.fixture.acquire(Claim.free("me")).restored()).isEqualTo(1);
		FetchResult.Fetched turn = this.fixture.turn(new Fetch(9, 9, false));
		assertThat(turn.jobs()).extracting(FetchedJob::id).containsExactly("e", "a");
		assertThat(turn.buried()).isEqualTo(2);
		assertThat(this.fixture.redis.opsForHash().keys(this.fixture.key("morgue"))).containsExactlyInAnyOrder("x",
				"\u0006" + "y".repeat(40), "\u0004" + "y".repeat(40));
	}

	@Test
	void hotIdWithAHundredThousandPayloads() {
		this.fixture.own();
		List<NewPayload> pushes = new ArrayList<>();
		IntStream.range(0, 100_000).forEach((i) -> pushes.add(push("hot", "payload-" + i)));
		this.fixture.shardStore().push(this.fixture.shard, pushes);
		assertThat(this.fixture.redis.opsForZSet().size(this.fixture.key("p:hot"))).isEqualTo(100_000);
		this.fixture.enqueue(push("cold", "1"));
		List<FetchedJob> jobs = this.fixture.fetch(10);
		assertThat(jobs).extracting((job) -> job.payloads().size()).containsExactly(1_000, 1);
		assertThat(jobs.get(0).payloads().get(999).bytes()).asString().isEqualTo("payload-999");
		jobs = this.fixture.fetch(10, new Outcome.Done("hot"), new Outcome.Retry("cold", 9999, "oops"));
		assertThat(jobs.get(0).payloads().get(0).bytes()).asString().isEqualTo("payload-1000");
	}

}
