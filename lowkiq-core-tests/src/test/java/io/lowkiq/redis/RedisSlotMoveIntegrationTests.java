package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.lettuce.core.cluster.SlotHash;
import io.lowkiq.StoreException;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.answer;
import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A shard whose slot Redis Cluster moves to another master, while jobs are enqueued and
 * fetched (I3).
 */
class RedisSlotMoveIntegrationTests {

	private static final String PREFIX = "lowkiq";

	private static final int MAX_SLOT = 60;

	private static final Fetch FETCH = new Fetch(50, 1_000, true);

	private final RedisClusterProcess cluster = RedisClusterProcess.start();

	private final LettuceConnectionFactory connections = this.cluster.connectionFactory();

	private volatile Instant now = Instant.ofEpochMilli(RedisShardFixture.NOW);

	private final RedisStore store = new RedisStore(this.connections, PREFIX, () -> this.now);

	/** Among the first slots, which are the first to be moved. */
	private final Shard shard = IntStream.range(0, 60_000)
		.mapToObj((i) -> new Shard("orders", 1, i))
		.filter((candidate) -> slot(candidate) < MAX_SLOT)
		.findFirst()
		.orElseThrow();

	/** The payloads by id: those that were enqueued and not yet performed. */
	private final Map<String, Set<String>> expected = new ConcurrentHashMap<>();

	/** As if somebody had served it before. */
	@BeforeEach
	void know() {
		this.store.actions().pause(this.shard, false);
	}

	@AfterEach
	void close() {
		this.connections.destroy();
		this.cluster.close();
	}

	private static int slot(Shard shard) {
		return SlotHash.getSlot(shard.toString());
	}

	private void enqueue(NewPayload... payloads) {
		for (NewPayload payload : payloads) {
			this.expected.computeIfAbsent(payload.id(), (id) -> ConcurrentHashMap.newKeySet())
				.add(text(payload.payload()));
		}
		this.store.shards().enqueue(this.shard, List.of(payloads));
	}

	private static String text(byte[] payload) {
		return new String(payload, StandardCharsets.UTF_8);
	}

	/** Delayed jobs with sets of payloads, and a long list of ready ones. */
	private void fill() {
		enqueue(IntStream.range(0, 600)
			.mapToObj(
					(i) -> newPayload("delayed-" + i / 2, "p" + i % 2).withPerformAt(RedisShardFixture.NOW + 3_600_000))
			.toArray(NewPayload[]::new));
		enqueue(IntStream.range(0, 2_000).mapToObj((i) -> newPayload("ready-" + i, "p")).toArray(NewPayload[]::new));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void shardIsClosedWhileItsKeysMoveOneByOne(boolean metaFirst) {
		RedisProcess source = this.cluster.masterOf(slot(this.shard));
		RedisProcess target = this.cluster.masters().get(1);
		assertThat(target).isNotSameAs(source);
		Owner owner = new Owner();
		owner.acquire();
		fill();
		assertThat(owner.step()).hasSize(50);

		String slot = Integer.toString(slot(this.shard));
		String sourceId = call(source, "CLUSTER", "MYID");
		String targetId = call(target, "CLUSTER", "MYID");
		assertThat(call(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", sourceId)).isEqualTo("OK");
		assertThat(call(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", targetId)).isEqualTo("OK");
		List<String> keys = new ArrayList<>(
				call(source, "CLUSTER", "GETKEYSINSLOT", slot, "10000").lines().sorted().toList());
		assertThat(keys).hasSizeGreaterThan(300);
		keys.sort(Comparator.comparing((key) -> key.endsWith(":meta") != metaFirst));
		CompletableFuture<Void> producer = CompletableFuture
			.runAsync(() -> enqueue(newPayload("meanwhile", "1"), newPayload("delayed-0", "2")));
		for (int i = 0; i < keys.size(); i++) {
			assertThat(call(source, "MIGRATE", target.host(), Integer.toString(target.port()), "", "0", "5000", "KEYS",
					keys.get(i)))
				.isEqualTo("OK");
			if (i % 50 == 0) {
				assertThatExceptionOfType(StoreException.class).isThrownBy(owner::step);
				assertThatExceptionOfType(StoreException.class).isThrownBy(owner::acquire);
				assertThat(producer).isNotDone();
			}
		}
		for (RedisProcess node : List.of(target, source, this.cluster.masters().get(2))) {
			assertThat(call(node, "CLUSTER", "SETSLOT", slot, "NODE", targetId)).isEqualTo("OK");
		}

		assertThat(producer).succeedsWithin(60, TimeUnit.SECONDS);
		await().ignoreExceptionsInstanceOf(StoreException.class).until(() -> {
			assertThat(owner.acquire().kept()).as("No call was applied").isTrue();
			return true;
		});
		drain(owner);
	}

	@Test
	void reshardingLosesNothing() {
		RedisProcess source = this.cluster.masterOf(slot(this.shard));
		RedisProcess target = this.cluster.masters().get(1);
		Owner owner = new Owner();
		owner.acquire();
		fill();
		AtomicBoolean ended = new AtomicBoolean();
		CompletableFuture<Void> producer = CompletableFuture.runAsync(() -> {
			for (int i = 0; !ended.get(); i++) {
				enqueue(newPayload("during-" + i % 100, "p" + i), newPayload("during-" + i, "p"));
			}
		});
		CompletableFuture<Void> consumer = CompletableFuture.runAsync(() -> {
			while (!ended.get()) {
				owner.stepOrAcquire();
			}
		});
		try {
			IntStream.range(0, MAX_SLOT).forEach((slot) -> this.cluster.moveSlot(slot, source, target));
		}
		finally {
			ended.set(true);
		}
		assertThat(producer).succeedsWithin(60, TimeUnit.SECONDS);
		assertThat(consumer).succeedsWithin(60, TimeUnit.SECONDS);
		assertThat(call(target, "CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot(this.shard)))).isNotEqualTo("0");
		drain(owner);
	}

	@Test
	void nodesAndQueuesAreServedWhileTheirSlotsMove() {
		NodeInfo info = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of(), false);
		this.store.nodes().join("s", info);
		int slot = SlotHash.getSlot("nodes");
		RedisProcess source = this.cluster.masterOf(slot);
		RedisProcess target = this.cluster.masters()
			.stream()
			.filter((node) -> node != source)
			.findFirst()
			.orElseThrow();
		call(target, "CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", call(source, "CLUSTER", "MYID"));
		call(source, "CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", call(target, "CLUSTER", "MYID"));
		assertThat(this.store.nodes().beat("s", info).held()).isTrue();
		assertThat(call(source, "MIGRATE", target.host(), Integer.toString(target.port()), PREFIX + ":{nodes}", "0",
				"5000"))
			.isEqualTo("OK");
		assertThat(this.store.nodes().beat("s", info).held()).isTrue();
		assertThat(this.store.nodes().members().members()).singleElement()
			.satisfies((member) -> assertThat(member.beats()).isEqualTo(2));
	}

	/** Performs what is left, and checks that nothing is missing. */
	private void drain(Owner owner) {
		this.now = this.now.plusSeconds(7_200);
		await().atMost(Duration.ofSeconds(60)).until(() -> {
			owner.stepOrAcquire();
			ShardCounts counts = this.store.inspection().counts(this.shard);
			return counts.queued() == 0 && counts.busy() == 0;
		});
		assertThat(this.expected.values()).as("Payloads that were never performed").allMatch(Set::isEmpty);
		RedisProcess holder = this.cluster.masters()
			.stream()
			.filter((node) -> call(node, "CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot(this.shard))).equals("1"))
			.findFirst()
			.orElseThrow();
		assertThat(call(holder, "CLUSTER", "GETKEYSINSLOT", Integer.toString(slot(this.shard)), "9"))
			.as("All that is left")
			.endsWith(":meta");
	}

	private static String call(RedisProcess node, String... command) {
		return String.valueOf(node.call(command));
	}

	/** Performs jobs. After an uncertain call it acquires the lease again. */
	private final class Owner {

		private Lease lease = new Lease(RedisSlotMoveIntegrationTests.this.shard, "me", 0);

		/** Of the last call that was certainly applied. */
		private long sequence;

		private List<FetchedJob> busy = List.of();

		private boolean uncertain;

		Acquisition.Acquired acquire() {
			Acquisition.Acquired acquired = (Acquisition.Acquired) answer(
					RedisSlotMoveIntegrationTests.this.store.shards()
						.acquire(this.lease.shard(), LeaseRequest.toRenew(this.lease, this.sequence + 1)));
			this.lease = acquired.lease();
			this.sequence = 0;
			this.uncertain = false;
			if (!acquired.kept()) {
				this.busy = List.of();
			}
			return acquired;
		}

		/** Completes what is busy, fetches, and performs. */
		List<FetchedJob> step() {
			List<Outcome> done = this.busy.stream().<Outcome>map((job) -> new Outcome.Done(job.id())).toList();
			this.uncertain = true;
			FetchResult result = answer(RedisSlotMoveIntegrationTests.this.store.shards()
				.completeAndFetch(this.lease, this.sequence + 1, this.busy.size(), done, FETCH));
			this.sequence++;
			this.uncertain = false;
			this.busy = ((FetchResult.Fetched) result).jobs();
			this.busy.forEach((job) -> job.payloads()
				.forEach((payload) -> RedisSlotMoveIntegrationTests.this.expected.get(job.id())
					.remove(text(payload.bytes()))));
			return this.busy;
		}

		void stepOrAcquire() {
			try {
				if (this.uncertain) {
					acquire();
				}
				step();
			}
			catch (StoreException ex) {
				this.uncertain = true;
			}
		}

	}

}
