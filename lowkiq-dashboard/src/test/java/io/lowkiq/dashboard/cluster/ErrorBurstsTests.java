package io.lowkiq.dashboard.cluster;

import java.time.InstantSource;
import java.util.Map;

import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.dashboard.history.PerformCounts;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ErrorBurstsTests {

	private final InstantSource clock = InstantSource.system();

	private final RedisStore store = InMemoryRedis.newStore(this.clock);

	private final HistoryLog log = new HistoryLog(new DashboardKeys(this.store));

	private ErrorBursts bursts() {
		return new ErrorBursts(this.log, new ClusterReader(this.store, this.clock), this.clock);
	}

	private void sample(long secondsAgo, long processed, long failed) {
		this.log.write(Map.of("orders", new HistoryLog.Sample(this.clock.millis() - secondsAgo * 1_000, processed,
				failed, 0, 0, 0, PerformCounts.NONE)));
	}

	@Test
	void findsAQueueMostOfWhosePerformsHaveFailed() {
		sample(400, 0, 0);
		sample(200, 3, 1);
		new TestQueue(this.store, "orders", 2).fail(TestQueue.ids("failed-", 13)).done(TestQueue.ids("done-", 5));
		ErrorBursts.Burst burst = bursts().recent().get("orders");
		assertThat(burst).isNotNull();
		assertThat(burst.failed()).isEqualTo(12);
		assertThat(burst.performs()).isEqualTo(14);
	}

	@Test
	void fewFailuresOrAFewAmongManyAreNone() {
		sample(200, 0, 0);
		TestQueue queue = new TestQueue(this.store, "orders", 2).fail(TestQueue.ids("failed-", 9));
		assertThat(bursts().recent()).isEmpty();
		queue.fail(TestQueue.ids("more-", 3)).done(TestQueue.ids("done-", 12));
		assertThat(bursts().recent()).isEmpty();
	}

	@Test
	void withoutHistoryThereIsNone() {
		new TestQueue(this.store, "orders", 2).fail(TestQueue.ids("failed-", 20));
		assertThat(bursts().recent()).isEmpty();
	}

}
