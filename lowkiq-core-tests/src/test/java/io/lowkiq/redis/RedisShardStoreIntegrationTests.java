package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreException;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.BatchResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.LastCall;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.TestTurns;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.RedisCallback;

import static io.lowkiq.redis.RedisShardFixture.NOW;
import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static io.lowkiq.redis.RedisShardFixture.payload;
import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The scripts of producers and owners on a real Redis: what they leave there, and what
 * they do about what they can't read. The contract is in {@code io.lowkiq.store}.
 */
class RedisShardStoreIntegrationTests {

	@AutoClose
	private final RedisShardFixture fixture = new RedisShardFixture();

	@Test
	void defaultScoreComesAfterAnyScore() {
		double[] scores = { -1e300, -Math.PI, -1024, -Double.MIN_NORMAL, -Double.MIN_VALUE, 0, Double.MIN_VALUE,
				Double.MIN_NORMAL, 1, 1024, 1e300 };
		this.fixture.own();
		this.fixture.now = this.fixture.now.minusMillis(3 * NOW);
		for (double score : scores) {
			double floor = Math.max(Math.nextUp(score), this.fixture.millis()) + 0.0;
			this.fixture.enqueue(newPayload("a", "1").withScore(score).withPerformAt(-4 * NOW), newPayload("a", "2"));
			assertThat(this.fixture.fetch(1).get(0).payloads()).extracting("score")
				.containsExactlyInAnyOrder(score, floor);
			this.fixture.fetch(0, new Outcome.Done("a"));
		}
	}

	@Test
	void voidEntriesOfTheListAreSkippedAndDropped() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("a", "1"), newPayload("b", "1"), newPayload("c", "1"));
		this.fixture.store.actions().delete(this.fixture.shard, List.of("b"));
		assertThat(this.fixture.redis.opsForList().size(this.fixture.key("ready"))).isEqualTo(3);
		this.fixture.enqueue(newPayload("b", "2").withDelay(Duration.ofSeconds(1)));
		FetchResult.Fetched fetched = this.fixture.completeAndFetch(new Fetch(9, 10, false));
		assertThat(fetched.jobs()).extracting(FetchedJob::id).containsExactly("a", "c");
		assertThat(fetched.next()).isEqualTo(NOW + 1000);
		assertThat(this.fixture.redis.hasKey(this.fixture.key("ready"))).isFalse();
	}

	@Test
	void tenThousandIdsInOneCallChain() {
		List<NewPayload> payloads = new ArrayList<>();
		IntStream.range(0, 10_000).forEach((i) -> payloads.add(newPayload("id-" + i, "payload")));
		assertThat(this.fixture.shards().enqueue(this.fixture.shard, payloads).merged()).isZero();
		assertThat(this.fixture.shards().enqueue(this.fixture.shard, payloads).merged()).isEqualTo(10_000);
		this.fixture.own();
		List<FetchedJob> jobs = this.fixture.fetch(10_000);
		assertThat(jobs).extracting(FetchedJob::id).isEqualTo(payloads.stream().map(NewPayload::id).toList());
		Outcome[] done = jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new);
		assertThat(this.fixture.fetch(10_000, done)).isEmpty();
		assertThat(this.fixture.state().processed()).isEqualTo(10_000);
	}

	@Test
	void tenThousandBusyJobsAreRestored() {
		List<NewPayload> payloads = IntStream.range(0, 10_000)
			.mapToObj((i) -> newPayload("id-" + i, "payload"))
			.toList();
		this.fixture.shards().enqueue(this.fixture.shard, payloads);
		this.fixture.acquire(LeaseRequest.forFreeShard("dead"));
		this.fixture.fetch(10_000);
		assertThat(this.fixture.acquire(LeaseRequest.afterCrash("me", "dead")).restored()).isEqualTo(10_000);
	}

	@Test
	void scriptsAreSentAgainWhenRedisForgotThem() {
		this.fixture.enqueue(newPayload("a", "1"));
		flushScripts();
		this.fixture.own();
		flushScripts();
		assertThat(this.fixture.fetch(1)).hasSize(1);
		flushScripts();
		assertThat(this.fixture.release()).isTrue();
	}

	@Test
	void payloadsForSeveralShardsSurviveScriptFlush() {
		Shard other = new Shard("orders", 1, 1);
		flushScripts();
		BatchResult result = this.fixture.shards()
			.enqueueAll(List.of(new ShardPayloads(this.fixture.shard, List.of(newPayload("a", "1"))),
					new ShardPayloads(other, List.of(newPayload("b", "1"))),
					new ShardPayloads(this.fixture.shard, List.of(newPayload("a", "2")))));
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
			this.fixture.enqueue(newPayload(id, "1"), newPayload(id, "2"));
		}
		this.fixture.own();
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly(ids);
	}

	@Test
	void keyOfAWrongTypeIsAnErrorAndNothingIsWritten() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("busy", "1"), newPayload("busy", "2"));
		this.fixture.fetch(1);
		this.fixture.enqueue(newPayload("a", "1"), newPayload("a", "2"), newPayload("z", "1").withPerformAt(NOW));
		Lease lease = this.fixture.lease();
		for (String name : List.of("jobs", "ready", "delayed", "busy", "suspects", "retries", "morgue", "morgue-times",
				"p:a", "p:busy", "d:busy")) {
			String aside = this.fixture.key("aside");
			boolean exists = this.fixture.redis.hasKey(this.fixture.key(name));
			if (exists) {
				this.fixture.redis.rename(this.fixture.key(name), aside);
			}
			this.fixture.redis.opsForValue().set(this.fixture.key(name), "wrong");
			assertThatExceptionOfType(StoreException.class).as(name)
				.isThrownBy(
						() -> this.fixture.completeAndFetch(lease, 2, 1, new Fetch(9, 9, true), buried("busy", "dead")))
				.withMessageContaining("WRONGTYPE");
			this.fixture.redis.delete(this.fixture.key(name));
			if (exists) {
				this.fixture.redis.rename(aside, this.fixture.key(name));
			}
		}
		assertThat(this.fixture.completeAndFetch(lease, 2, 1, new Fetch(9, 9, true), buried("busy", "dead")))
			.satisfies((result) -> assertThat(((FetchResult.Fetched) result).jobs()).hasSize(2));
	}

	@Test
	void producerMeetsAKeyOfAWrongTypeBeforeAJobIsWritten() {
		for (String name : List.of("ready", "delayed", "busy")) {
			this.fixture.redis.opsForValue().set(this.fixture.key(name), "wrong");
			assertThatExceptionOfType(StoreException.class).as(name)
				.isThrownBy(() -> this.fixture.enqueue(newPayload("a", "1"),
						newPayload("b", "1").withPerformAt(NOW + 1_000)));
			assertThat(this.fixture.redis.hasKey(this.fixture.key("jobs"))).isFalse();
			this.fixture.redis.delete(this.fixture.key(name));
		}
		this.fixture.enqueue(newPayload("a", "1"));
		this.fixture.own();
		assertThat(this.fixture.drain()).hasSize(1);
	}

	@Test
	void producerMeetsAKeyOfAWrongTypeBeforeWhatWasDueIsKeptDue() {
		this.fixture.enqueue(newPayload("due", "1").withPerformAt(NOW + 1_000));
		this.fixture.own();
		this.fixture.advance(5_000);
		this.fixture.acquire(LeaseRequest.forFreeShard("me"));
		this.fixture.advance(-60_000);
		Double due = this.fixture.redis.opsForZSet().score(this.fixture.key("delayed"), "due");
		for (String name : List.of("ready", "busy", "suspects", "resting", "p:a")) {
			this.fixture.redis.opsForValue().set(this.fixture.key(name), "wrong");
			assertThatExceptionOfType(StoreException.class).as(name)
				.isThrownBy(() -> this.fixture.enqueue(newPayload("a", "1")));
			assertThat(this.fixture.redis.opsForZSet().score(this.fixture.key("delayed"), "due")).as(name)
				.isEqualTo(due);
			this.fixture.redis.delete(this.fixture.key(name));
		}
		this.fixture.enqueue(newPayload("a", "1"));
		assertThat(this.fixture.redis.opsForZSet().score(this.fixture.key("delayed"), "due")).isLessThan(due);
	}

	@Test
	void acquireMeetsAKeyOfAWrongTypeBeforeAnythingIsRestored() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("a", "1"), newPayload("a", "2"));
		this.fixture.fetch(1);
		for (String name : List.of("jobs", "delayed", "suspects", "retries", "p:a", "d:a")) {
			this.fixture.redis.opsForValue().set(this.fixture.key(name), "wrong");
			assertThatExceptionOfType(StoreException.class).as(name).isThrownBy(this.fixture::own);
			this.fixture.redis.delete(this.fixture.key(name));
		}
		assertThat(this.fixture.acquire(LeaseRequest.forFreeShard("me")).restored()).isEqualTo(1);
	}

	@Test
	void metaDataThatCanNotBeReadIsThatOfAFreeShard() {
		byte[] notNumbers = new byte[60];
		Arrays.fill(notNumbers, (byte) 0xff);
		byte[] known = notNumbers.clone();
		known[0] = 3;
		for (byte[] state : List.of(new byte[] { 3 }, notNumbers, known, new byte[60])) {
			this.fixture.enqueue(newPayload("a", "1"));
			Lease old = this.fixture.own();
			assertThat(this.fixture.fetch(1)).hasSize(1);
			writeState(state);
			assertThat(this.fixture.completeAndFetch(old, 2, 1, new Fetch(1, 1, false)))
				.isEqualTo(new FetchResult.Fenced(LastCall.NONE));
			assertThat(this.fixture.enqueue(newPayload("b", "1")).merged()).isZero();
			Acquisition.Acquired acquired = this.fixture.acquire(LeaseRequest.forFreeShard("you"));
			assertThat(acquired.lease().epoch()).isGreaterThanOrEqualTo(NOW);
			assertThat(acquired.restored()).isEqualTo(1);
			assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactlyInAnyOrder("a", "b");
			assertThat(this.fixture.release()).isTrue();
		}
	}

	@Test
	void whatANewerVersionHasWrittenIsRefusedByItsName() {
		byte[] newer = new byte[58];
		newer[0] = 7;
		writeState(newer);
		assertThatExceptionOfType(NewerVersionException.class)
			.isThrownBy(() -> this.fixture.enqueue(newPayload("a", "1")))
			.withMessageContaining("Shard 0 of queue '%s'".formatted(this.fixture.shard.queue()));
	}

	private void writeState(byte[] state) {
		this.fixture.redis.execute((RedisCallback<Boolean>) (connection) -> connection.stringCommands()
			.set(this.fixture.key("meta").getBytes(StandardCharsets.UTF_8), state));
	}

	@Test
	void aParkedGroupComesBackThoughTheStateIsGoneAndTheClockIsBehind() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("g:1", "1"));
		GroupTurns full = TestTurns.of(":", TestTurns.use("g", 1, 1, 0));
		this.fixture.completeAndFetch(new Fetch(0, 9, false, full));
		this.fixture.completeAndFetch(new Fetch(9, 9, false, full));
		assertThat(this.fixture.redis.opsForZSet().score(this.fixture.key("turns"), "g")).isNegative();
		this.fixture.redis.delete(this.fixture.key("meta"));
		this.fixture.store.queues().register("orders", 1);
		this.fixture.advance(-3_600_000);
		this.fixture.own();
		assertThat(this.fixture.completeAndFetch(new Fetch(9, 9, false, TestTurns.of(":"))).jobs())
			.extracting(FetchedJob::id)
			.containsExactly("g:1");
	}

	@Test
	void stateOfAWrongTypeIsAnErrorAndNothingIsWritten() {
		this.fixture.redis.delete(this.fixture.key("meta"));
		this.fixture.redis.opsForList().rightPush(this.fixture.key("meta"), "wrong");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(newPayload("a", "1")));
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.fixture::own);
		assertThat(this.fixture.redis.keys(this.fixture.prefix + "*")).containsExactly(this.fixture.key("meta"));
	}

	@Test
	void entryThatCanNotBeReadGoesToTheMorgue() {
		this.fixture.own();
		String jobs = this.fixture.key("jobs");
		this.fixture.enqueue(newPayload("short", "1"), newPayload("odd", "1"), newPayload("good", "1"),
				newPayload("pushed", "1"), newPayload("empty", "1"));
		this.fixture.redis.opsForHash().put(jobs, "short", "x");
		this.fixture.redis.opsForHash().put(jobs, "odd", "this is not what lowkiq writes into an entry");
		this.fixture.redis.opsForHash().put(jobs, "empty", "");
		this.fixture.redis.opsForHash().put(jobs, "pushed", "\u0004bad");
		this.fixture.enqueue(newPayload("pushed", "2"));
		FetchResult.Fetched fetched = this.fixture.completeAndFetch(new Fetch(9, 9, false));
		assertThat(fetched.jobs()).extracting(FetchedJob::id).containsExactly("good", "pushed");
		assertThat(fetched.buried()).isEqualTo(3);
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:short"), 0, -1)).containsExactly("x");
		assertThat(this.fixture.redis.opsForZSet().range(this.fixture.key("d:pushed"), 0, -1))
			.containsExactly("\u0004bad");
		assertThat(this.fixture.redis.opsForHash().get(this.fixture.key("morgue"), "short").toString())
			.endsWith("Unreadable data in Redis: an entry of 1 bytes");
	}

	@Test
	void busyEntryThatCanNotBeReadGoesToTheMorgue() {
		this.fixture.own();
		this.fixture.enqueue(Stream.of("a", "b", "c")
			.map((id) -> newPayload(id, "1").withPerformAt(NOW))
			.toArray(NewPayload[]::new));
		this.fixture.fetch(3);
		this.fixture.redis.opsForHash().put(this.fixture.key("busy"), "a", "x");
		this.fixture.redis.opsForHash().put(this.fixture.key("busy"), "b", "\u0004" + "y".repeat(40));
		assertThat(this.fixture.completeAndFetch(Fetch.NONE, new Outcome.Retry("a", 0, "oops")).buried()).isEqualTo(1);
		assertThat(this.fixture.acquire(LeaseRequest.forFreeShard("me")).restored()).isEqualTo(1);
		assertThat(this.fixture.fetch(3)).extracting(FetchedJob::id).containsExactly("c");
	}

	@Test
	void hotIdWithAHundredThousandPayloads() {
		this.fixture.own();
		List<NewPayload> payloads = new ArrayList<>();
		IntStream.range(0, 100_000).forEach((i) -> payloads.add(newPayload("hot", "payload-" + i)));
		this.fixture.shards().enqueue(this.fixture.shard, payloads);
		assertThat(this.fixture.redis.opsForZSet().size(this.fixture.key("p:hot"))).isEqualTo(100_000);
		this.fixture.enqueue(newPayload("cold", "1"));
		List<FetchedJob> jobs = this.fixture.fetch(10);
		assertThat(jobs).extracting((job) -> job.payloads().size()).containsExactly(1_000, 1);
		assertThat(jobs.get(0).payloads().get(999).bytes()).asString().isEqualTo("payload-999");
		this.fixture.completeAndFetch(Fetch.NONE, new Outcome.Done("hot"), new Outcome.Retry("cold", 9999, "oops"));
		jobs = this.fixture.fetch(10);
		assertThat(jobs.get(0).payloads().get(0).bytes()).asString().isEqualTo("payload-1000");
	}

}
