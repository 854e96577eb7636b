package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoredFollowUp;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardGroup;
import io.lowkiq.store.inspection.ShardGroups;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests of {@link ClusterReader}.
 */
class ClusterReaderTests {

	private static final int SHARDS = 7;

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final CountingInspection inspection = new CountingInspection(this.store.inspection());

	/** Moved by the test, read by those who ask. */
	private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final ClusterReader reader = new ClusterReader(countingStore(), () -> this.now);

	private final TestQueue queue = new TestQueue(this.store, "orders", SHARDS);

	@Test
	void costsOneCallAShardWhateverTheQueueHolds() {
		this.reader.recent();
		assertThat(this.inspection.calls).hasValue(SHARDS);
		this.queue.enqueue(TestQueue.ids("", 5_000));
		this.now = this.now.plusSeconds(1);
		assertThat(this.reader.recent().queue("orders").orElseThrow().sum(ShardCounts::queued)).isEqualTo(5_000);
		assertThat(this.inspection.calls).hasValue(2 * SHARDS);
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
		assertThat(this.inspection.calls).hasValue(SHARDS);
	}

	@Test
	void readsAtMostOnceASecondAndOnlyWhenAsked() {
		this.reader.recent();
		this.now = this.now.plus(Duration.ofMillis(999));
		this.reader.recent();
		assertThat(this.inspection.calls).hasValue(SHARDS);
		this.now = this.now.plus(Duration.ofHours(1));
		assertThat(this.inspection.calls).hasValue(SHARDS);
	}

	@Test
	void readsAgainAfterAnAction() {
		this.reader.recent();
		this.reader.forget();
		this.reader.recent();
		assertThat(this.inspection.calls).hasValue(2 * SHARDS);
	}

	@Test
	void aShardWhoseOwnerIsGoneHasNoOwner() {
		this.queue.node("node-a");
		assertThat(this.reader.recent().queue("orders").orElseThrow().unowned()).isZero();
		this.store.nodes().leave(this.queue.session());
		this.reader.forget();
		assertThat(this.reader.recent().queue("orders").orElseThrow().unowned()).isEqualTo(SHARDS);
	}

	private InspectableStore countingStore() {
		InspectableStore counting = mock(InspectableStore.class, delegatesTo(this.store));
		given(counting.inspection()).willReturn(this.inspection);
		return counting;
	}

	private static final class CountingInspection implements ShardInspection {

		private final AtomicInteger calls = new AtomicInteger();

		private final ShardInspection inspection;

		CountingInspection(ShardInspection inspection) {
			this.inspection = inspection;
		}

		@Override
		public ShardCounts counts(Shard shard) {
			this.calls.incrementAndGet();
			return this.inspection.counts(shard);
		}

		@Override
		public List<StoredFollowUp> followUps(Shard shard, long after, int limit) {
			return this.inspection.followUps(shard, after, limit);
		}

		@Override
		public ShardGroups groups(List<Shard> shards, String separator, int most) {
			return this.inspection.groups(shards, separator, most);
		}

		@Override
		public List<ShardGroup> group(List<Shard> shards, String separator, String name) {
			return this.inspection.group(shards, separator, name);
		}

		@Override
		public Optional<JobView> find(Shard shard, JobView.State state, String id, int payloads) {
			this.calls.incrementAndGet();
			return this.inspection.find(shard, state, id, payloads);
		}

		@Override
		public JobPage list(Shard shard, JobQuery query) {
			this.calls.incrementAndGet();
			return this.inspection.list(shard, query);
		}

	}

}
