package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.IntStream;

import io.lowkiq.StoreException;
import io.lowkiq.TraceParent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.TracedProducer;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static io.lowkiq.testing.Outcomes.buried;
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

	private static List<NewPayload> payloads(int first, int count, int bytes) {
		return IntStream.range(first, first + count).mapToObj((i) -> newPayload("id" + i, "x".repeat(bytes))).toList();
	}

	@Test
	void commandsDoNotGrowWithTheBatch() {
		this.fixture.own();
		this.fixture.shards().enqueue(this.fixture.shard, payloads(0, 1, 100));
		this.fixture.advance(1);
		long one = commands(() -> this.fixture.shards().enqueue(this.fixture.shard, payloads(1, 1, 100)));
		this.fixture.advance(1);
		long many = commands(() -> this.fixture.shards().enqueue(this.fixture.shard, payloads(2, 198, 100)));
		assertThat(many).isEqualTo(one).isLessThanOrEqualTo(6);
		List<FetchedJob> jobs = this.fixture.fetch(100);
		Outcome[] done = jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new);
		assertThat(commands(() -> this.fixture.fetch(100, done))).isLessThanOrEqualTo(14);
	}

	@Test
	void callForOneJobOfManyTakesFewCommands() {
		this.fixture.own();
		this.fixture.shards().enqueue(this.fixture.shard, payloads(0, 5, 100));
		this.fixture.fetch(1);
		assertThat(commands(() -> this.fixture.fetch(1, new Outcome.Done("id0")))).isLessThanOrEqualTo(14);
	}

	@Test
	void emptyFetchTakesFewCommands() {
		this.fixture.own();
		this.fixture.fetch(1);
		assertThat(commands(() -> this.fixture.fetch(1))).isLessThanOrEqualTo(9);
	}

	@Test
	void jobWithAHundredBytesTakesLittleMemoryAndNoKey() {
		this.fixture.enqueue(newPayload("warm", "up"));
		long keys = keys();
		long before = memoryOfData();
		int jobs = 20_000;
		for (int i = 0; i < jobs; i += 1_000) {
			this.fixture.advance(1);
			this.fixture.shards().enqueue(this.fixture.shard, payloads(100_000 + i, 1_000, 100));
		}
		assertThat((memoryOfData() - before) / (double) jobs).isLessThan(220);
		assertThat(keys()).isEqualTo(keys);
	}

	@Test
	void traceOfAPayloadTakesNoMoreThan64BytesAndNoKeyAndNoCommand() {
		this.fixture.enqueue(newPayload("warm", "up"));
		long keys = keys();
		long before = memoryOfData();
		int jobs = 20_000;
		for (int i = 0; i < jobs; i += 1_000) {
			this.fixture.advance(1);
			this.fixture.shards().enqueue(this.fixture.shard, payloads(100_000 + i, 1_000, 100));
		}
		long untraced = memoryOfData() - before;
		before = memoryOfData();
		for (int i = 0; i < jobs; i += 1_000) {
			this.fixture.advance(1);
			this.fixture.shards().enqueue(this.fixture.shard, traced(payloads(200_000 + i, 1_000, 100)));
		}
		assertThat((memoryOfData() - before - untraced) / (double) jobs).isLessThanOrEqualTo(64);
		assertThat(keys()).isEqualTo(keys);
		this.fixture.advance(1);
		long one = commands(() -> this.fixture.shards().enqueue(this.fixture.shard, payloads(1, 1, 100)));
		assertThat(commands(() -> this.fixture.shards().enqueue(this.fixture.shard, traced(payloads(2, 1, 100)))))
			.isLessThanOrEqualTo(one + 1);
	}

	private static List<NewPayload> traced(List<NewPayload> payloads) {
		TraceParent trace = new TraceParent("a".repeat(32), "b".repeat(16), true);
		return payloads.stream().map((payload) -> payload.by(new TracedProducer(trace, 32))).toList();
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
		List<Shard> shards = this.fixture.store.queues().register("orders", 40).allShards();
		shards.forEach((shard) -> this.fixture.shards().enqueue(shard, payloads(0, 3, 100)));
		ShardInspection inspection = this.fixture.store.inspection();
		inspection.counts(shards);
		long together = commands(() -> inspection.counts(shards));
		assertThat(together).isEqualTo(commands(() -> shards.forEach(inspection::counts)));
	}

	@Test
	void pushToAHotIdDoesNotReadItsPayloads() {
		for (int i = 0; i < 20; i++) {
			int first = i * 1000;
			this.fixture.shards()
				.enqueue(this.fixture.shard,
						IntStream.range(first, first + 1000)
							.mapToObj((k) -> newPayload("hot", "payload " + k))
							.toList());
		}
		this.fixture.advance(1);
		assertThat(commands(() -> this.fixture.enqueue(newPayload("hot", "one more")))).isLessThanOrEqualTo(9);
	}

	@Test
	void fewKilledPayloadsDoNotCopyManyDeadOnes() {
		for (int i = 0; i < 3; i++) {
			int first = i * 1_000;
			this.fixture.shards()
				.enqueue(this.fixture.shard,
						IntStream.range(first, first + 1_000).mapToObj((k) -> newPayload("a", "dead " + k)).toList());
		}
		ShardActions actions = this.fixture.store.actions();
		actions.kill(this.fixture.shard, List.of("a"));
		this.fixture.enqueue(newPayload("a", "one"), newPayload("a", "two"));
		commands(() -> actions.kill(this.fixture.shard, List.of("a")));
		this.fixture.enqueue(newPayload("a", "three"), newPayload("a", "four"));
		actions.reEnqueue(this.fixture.shard, List.of("a"));
		Properties stats = redis((connection) -> connection.serverCommands().info("commandstats"));
		assertThat(stats).containsKey("cmdstat_zadd").doesNotContainKey("cmdstat_zunionstore");
	}

	@Test
	void fullRedisRefusesProducersAndServesTheOwner() {
		this.fixture.own();
		this.fixture.shards().enqueue(this.fixture.shard, payloads(0, 10, 1000));
		fillMemory();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(newPayload("more", "1")))
			.withMessage("Redis refused to enqueue: OOM command not allowed when used memory > 'maxmemory'");
		assertThat(this.fixture.fetch(5)).hasSize(5);
		Acquisition.Acquired again = this.fixture.acquire(LeaseRequest.forFreeShard("me"));
		assertThat(again.restored()).isEqualTo(5);
		assertThat(this.fixture.fetch(2)).hasSize(2);
		this.fixture.fetch(3, new Outcome.Retry("id0", 0, "oops"), buried("id1", "dead"));
		assertThat(this.fixture.drain()).hasSize(6);
		assertThat(this.fixture.fetch(5)).isEmpty();
		assertThat(
				this.fixture.store.actions().deleteAllDead(this.fixture.shard, 9, this.fixture.millis() + 1).changed())
			.isEqualTo(1);
		assertThat(this.fixture.release()).isTrue();
	}

	@Test
	void operatorsMakeRoomInAFullRedis() {
		TestQueue queue = new TestQueue(this.fixture.store, "orders", 1);
		queue.enqueue("deleted", "killed", "erased", "held", "left").bury("dead");
		this.fixture.shards()
			.enqueue(this.fixture.shard, List.of(newPayload("later", "1").withDelay(Duration.ofHours(1))));
		LowkiqAdmin admin = TestAdmin.of(this.fixture.store);
		fillMemory();
		assertThat(admin.delete("orders", "deleted")).isTrue();
		assertThat(admin.kill("orders", "killed")).isTrue();
		assertThat(admin.erase("orders", "erased").queued()).isTrue();
		assertThat(admin.hold("orders", "held")).isTrue();
		assertThat(admin.release("orders", "held")).isTrue();
		assertThat(admin.performNow("orders", "later")).isTrue();
		assertThat(admin.reEnqueue("orders", "dead")).isTrue();
		assertThat(admin.removeQueue("orders")).isEqualTo(5);
	}

	@Test
	void aQueueOfAFullRedisIsRemovedOrOpenedAgain() {
		QueueLayout queue = this.fixture.store.queues().register("orders", 1);
		fillMemory();
		assertThat(this.fixture.store.queues().beginRemoval(queue)).isTrue();
		assertThat(this.fixture.store.actions().close(this.fixture.shard, null, false)).isNotNull();
		assertThat(this.fixture.store.queues().cancelRemoval(queue)).isTrue();
		assertThat(this.fixture.own()).isNotNull();
	}

	@Test
	void fullRedisKeepsNodesAlive() {
		NodeRegistry nodes = this.fixture.store.nodes();
		NodeInfo info = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of("orders"), false);
		nodes.join("s1", info);
		nodes.join("s2", info);
		this.fixture.store.queues().register("orders", 5);
		fillMemory();
		assertThat(this.fixture.store.queues().register("orders", 5).shards()).isEqualTo(5);
		assertThat(nodes.beat("s1", info).held()).isTrue();
		NodeInfo stopping = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of(), true);
		assertThat(nodes.beat("s1", stopping).members()).contains(new Member("s1", 2, stopping));
		assertThat(nodes.assign(new Assignment(1, Map.of(this.fixture.shard, "s1")))).isTrue();
		assertThat(nodes.end("s2", 0, true)).isTrue();
		nodes.leave("s1");
		assertThat(nodes.members().ended()).isEqualTo(Map.of("s1", false, "s2", true));
		assertThat(nodes.join("s3", info).held()).isTrue();
	}

	private void fillMemory() {
		redis((connection) -> {
			connection.serverCommands().setConfig("maxmemory", "1");
			return true;
		});
	}

	@Test
	void openTransactionOrPipelineOfTheCallerIsLeftAlone() {
		this.fixture.own();
		this.fixture.redis.execute(new SessionCallback<Object>() {
			@Override
			public <K, V> Object execute(RedisOperations<K, V> operations) {
				operations.multi();
				RedisCostIntegrationTests.this.fixture.enqueue(newPayload("in transaction", "1"));
				operations.discard();
				return "";
			}
		});
		this.fixture.redis.executePipelined((RedisCallback<Object>) (connection) -> {
			this.fixture.enqueue(newPayload("in pipeline", "1"));
			return null;
		});
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly("in transaction", "in pipeline");
	}

	@Test
	void unreachableRedisIsAStoreException() {
		this.server.stop();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(newPayload("a", "1")))
			.withCauseInstanceOf(RuntimeException.class);
	}

}
