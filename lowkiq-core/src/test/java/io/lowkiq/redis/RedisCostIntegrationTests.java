package io.lowkiq.redis;

import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.ConnectionLatch;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.WakeUps;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;

import static io.lowkiq.redis.RedisShardFixture.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What jobs cost Redis, and what happens when it is full, on a Redis of this test's own.
 */
class RedisCostIntegrationTests {

	private final RedisProcess server = TestRedis.startPrivate();

	private final RedisShardFixture fixture = new RedisShardFixture(TestRedis.connectionFactory(this.server.url()));

	@AfterEach
	void close() {
		this.fixture.close();
		this.server.close();
	}

	private <T> T redis(RedisCallback<T> callback) {
		T answer = this.fixture.redis.execute(callback);
		assertThat(answer).isNotNull();
		return answer;
	}

	/** The number of commands that Redis ran, scripts and what they call. */
	private long commands(Runnable calls) {
		redis((connection) -> {
			connection.serverCommands().resetConfigStats();
			return true;
		});
		calls.run();
		Properties stats = redis((connection) -> connection.serverCommands().info("commandstats"));
		return stats.entrySet()
			.stream()
			.filter((entry) -> !String.valueOf(entry.getKey()).matches("cmdstat_(info|config.*|hello|client.*)"))
			.mapToLong((entry) -> Long.parseLong(String.valueOf(entry.getValue()).replaceAll("calls=(\\d+),.*", "$1")))
			.sum();
	}

	private static List<NewPayload> pushes(int first, int count, int bytes) {
		return IntStream.range(first, first + count).mapToObj((i) -> push("id" + i, "x".repeat(bytes))).toList();
	}

	@Test
	void commandsDoNotGrowWithTheBatch() {
		this.fixture.own();
		this.fixture.shardStore().push(this.fixture.shard, pushes(0, 1, 100));
		this.fixture.advance(1);
		long one = commands(() -> this.fixture.shardStore().push(this.fixture.shard, pushes(1, 1, 100)));
		this.fixture.advance(1);
		long many = commands(() -> this.fixture.shardStore().push(this.fixture.shard, pushes(2, 198, 100)));
		assertThat(many).isEqualTo(one).isLessThanOrEqualTo(6);
		List<FetchedJob> jobs = this.fixture.fetch(100);
		Outcome[] done = jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new);
		assertThat(commands(() -> this.fixture.fetch(100, done))).isLessThanOrEqualTo(14);
	}

	@Test
	void callForOneJobOfManyTakesFewCommands() {
		this.fixture.own();
		this.fixture.shardStore().push(this.fixture.shard, pushes(0, 5, 100));
		this.fixture.fetch(1);
		assertThat(commands(() -> this.fixture.fetch(1, new Outcome.Done("id0")))).isLessThanOrEqualTo(6);
	}

	@Test
	void jobThatIsHandedOverTakesFewCommands() {
		HandOverListener listener = new HandOverListener();
		WakeUps.Subscription subscription = this.fixture.store.wakeUps().subscribe("me", listener);
		try {
			assertThat(listener.await()).isTrue();
			Lease lease = this.fixture.own();
			Fetch fetch = new Fetch(5, 1_000, false, true);
			this.fixture.turn(fetch);
			this.fixture.advance(1);
			assertThat(commands(() -> this.fixture.enqueue(push("a", "1")))).isLessThanOrEqualTo(8);
			HandOver handOver = listener.handedOver.orTimeout(20, TimeUnit.SECONDS).join();
			assertThat(handOver.job().id()).isEqualTo("a");
			assertThat(commands(() -> this.fixture.shardStore()
				.turn(lease, handOver.sequence() + 1, List.of(new Outcome.Done("a")), fetch))).isLessThanOrEqualTo(7);
			assertThat(this.fixture.state().processed()).isEqualTo(1);
		}
		finally {
			subscription.close();
		}
	}

	private static final class HandOverListener extends ConnectionLatch {

		private final CompletableFuture<HandOver> handedOver = new CompletableFuture<>();

		@Override
		public void wake(Shard shard) {
			this.handedOver.completeExceptionally(new AssertionError("woken instead of handed over"));
		}

		@Override
		public void handOver(Shard shard, HandOver handOver) {
			this.handedOver.complete(handOver);
		}

	}

	@Test
	void jobWithAHundredBytesTakesLittleMemoryAndNoKey() {
		this.fixture.enqueue(push("warm", "up"));
		long keys = keys();
		long before = memoryOfData();
		int jobs = 20_000;
		for (int i = 0; i < jobs; i += 1_000) {
			this.fixture.advance(1);
			this.fixture.shardStore().push(this.fixture.shard, pushes(100_000 + i, 1_000, 100));
		}
		assertThat((memoryOfData() - before) / (double) jobs).isLessThan(220);
		assertThat(keys()).isEqualTo(keys);
	}

	/** Without what the scripts' garbage takes, which Redis 8 counts as used, too. */
	private long memoryOfData() {
		Properties memory = redis((connection) -> connection.serverCommands().info("memory"));
		return Long.parseLong(memory.getProperty("used_memory_dataset"));
	}

	private long keys() {
		return redis((connection) -> connection.serverCommands().dbSize());
	}

	@Test
	void countsOfManyShardsCostAsManyCommandsAsOfEach() {
		List<Shard> shards = new QueueLayout("orders", 1, 40).allShards();
		shards.forEach((shard) -> this.fixture.shardStore().push(shard, pushes(0, 3, 100)));
		ShardInspection inspection = this.fixture.store.inspection();
		inspection.counts(shards);
		long together = commands(() -> inspection.counts(shards));
		assertThat(together).isEqualTo(commands(() -> shards.forEach(inspection::counts)));
	}

	@Test
	void pushToAHotIdDoesNotReadItsPayloads() {
		for (int i = 0; i < 20; i++) {
			int first = i * 1000;
			this.fixture.shardStore()
				.push(this.fixture.shard,
						IntStream.range(first, first + 1000).mapToObj((k) -> push("hot", "payload " + k)).toList());
		}
		this.fixture.advance(1);
		assertThat(commands(() -> this.fixture.enqueue(push("hot", "one more")))).isLessThanOrEqualTo(9);
	}

	@Test
	void fullRedisRefusesPushesAndServesTheOwner() {
		this.fixture.own();
		this.fixture.shardStore().push(this.fixture.shard, pushes(0, 10, 1000));
		redis((connection) -> {
			connection.serverCommands().setConfig("maxmemory", "1");
			return true;
		});
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(push("more", "1")));
		assertThat(this.fixture.fetch(5)).hasSize(5);
		Acquisition.Acquired again = this.fixture.acquire(Claim.free("me"));
		assertThat(again.restored()).isEqualTo(5);
		assertThat(this.fixture.drain()).hasSize(10);
		assertThat(this.fixture.fetch(5)).isEmpty();
		assertThat(this.fixture.shardStore().release(this.fixture.lease(), 99, List.of())).isTrue();
	}

	@Test
	void openTransactionOrPipelineOfTheCallerIsLeftAlone() {
		this.fixture.own();
		this.fixture.redis.execute(new SessionCallback<Object>() {
			@Override
			public <K, V> Object execute(RedisOperations<K, V> operations) {
				operations.multi();
				RedisCostIntegrationTests.this.fixture.enqueue(push("in transaction", "1"));
				operations.discard();
				return "";
			}
		});
		this.fixture.redis.executePipelined((RedisCallback<Object>) (connection) -> {
			this.fixture.enqueue(push("in pipeline", "1"));
			return null;
		});
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly("in transaction", "in pipeline");
	}

	@Test
	void unreachableRedisIsAStoreException() {
		this.server.stop();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(push("a", "1")))
			.withCauseInstanceOf(RuntimeException.class);
	}

}
