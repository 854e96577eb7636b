package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link ClusterReader}. */
class ClusterReaderTests {

	private static final int SHARDS = 7;

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final AtomicInteger calls = new AtomicInteger();

	/** Moved by the test, read by those who ask. */
	private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final RedisStore counted = countingStore();

	private final ClusterReader reader = new ClusterReader(this.counted, () -> this.now);

	private final TestQueue queue = new TestQueue(this.store, "orders", SHARDS);

	/** It has looked for later generations, as once an hour. */
	ClusterReaderTests() {
		this.counted.stranded();
		this.calls.set(0);
	}

	@Test
	void costsOneCallAShardWhateverTheQueueHolds() {
		this.reader.recent();
		assertThat(this.calls).hasValue(SHARDS);
		this.queue.enqueue(TestQueue.ids("", 5_000));
		this.now = this.now.plusSeconds(1);
		assertThat(this.reader.recent().queue("orders").orElseThrow().sum(ShardCounts::queued)).isEqualTo(5_000);
		assertThat(this.calls).hasValue(2 * SHARDS);
	}

	@Test
	void anyNumberOfBrowsersShareAReading() throws Exception {
		ExecutorService browsers = Executors.newFixedThreadPool(16);
		try {
			List<Future<ClusterSnapshot>> readings = IntStream.range(0, 200)
				.mapToObj((i) -> browsers.submit(this.reader::recent))
				.toList();
			for (Future<ClusterSnapshot> reading : readings) {
				assertThat(reading.get()).isNotNull();
			}
		}
		finally {
			browsers.shutdownNow();
		}
		assertThat(this.calls).hasValue(SHARDS);
	}

	@Test
	void readsAtMostOnceASecondAndOnlyWhenAsked() {
		this.reader.recent();
		this.now = this.now.plus(Duration.ofMillis(999));
		this.reader.recent();
		assertThat(this.calls).hasValue(SHARDS);
		this.now = this.now.plus(Duration.ofHours(1));
		assertThat(this.calls).hasValue(SHARDS);
	}

	@Test
	void readsAgainAfterAnAction() {
		this.reader.recent();
		this.reader.forget();
		this.reader.recent();
		assertThat(this.calls).hasValue(2 * SHARDS);
	}

	@Test
	void aShardWhoseOwnerIsGoneHasNoOwner() {
		this.queue.node("node-a");
		assertThat(this.reader.recent().queue("orders").orElseThrow().unowned()).isZero();
		this.store.nodes().leave(this.queue.session());
		this.reader.forget();
		assertThat(this.reader.recent().queue("orders").orElseThrow().unowned()).isEqualTo(SHARDS);
	}

	private RedisStore countingStore() {
		return new RedisStore(
				Intercepted.of(RedisConnections.class, (RedisConnections) this.store.scripts(), (method, call) -> {
					if (method.equals("begin") && ((LuaScript) call.argument(0)).task().equals("count jobs")) {
						this.calls.incrementAndGet();
					}
					return call.make();
				}), this.store.keyPrefix(), null);
	}

}
