package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link LostRuns}. */
class LostRunsTests {

	private Duration ahead = Duration.ZERO;

	private final RedisStore store = InMemoryRedis.newStore(() -> Instant.now().plus(this.ahead));

	private final TestQueue queue = new TestQueue(this.store, "orders", 1);

	private final ClusterReader reader = new ClusterReader(this.store, () -> Instant.now().plus(this.ahead));

	private LostRuns lost() {
		this.reader.forget();
		return LostRuns.of(this.reader.recent());
	}

	private void report(String session, Duration age, Instant reportedAt, String... ids) {
		List<String> threads = new ArrayList<>();
		for (String id : ids) {
			threads.add("{\"name\":\"t-%s\",\"queue\":\"orders\",\"shard\":0,\"ids\":[\"%s\"],\"since\":%s}"
				.formatted(id, id, Instant.now().minus(age).toEpochMilli()));
		}
		this.store.nodes()
			.report(session, "{\"threadCount\":6,\"reportedAt\":%d,\"threads\":[%s]}"
				.formatted(reportedAt.toEpochMilli(), String.join(",", threads)));
	}

	@Test
	void runsOfARenewedLeaseAreNotLost() {
		this.queue.busy("1", "2").node("shop-1");
		report(this.queue.session(), Duration.ofMinutes(15), Instant.now().plusSeconds(60), "1", "2");
		assertThat(lost().runs()).isEmpty();
	}

	@Test
	void runsThatBeganUnderAnEarlierLeaseOfTheirNodeAreLost() {
		this.queue.node("shop-1").enqueue("1", "2", "3");
		report(this.queue.session(), Duration.ofMinutes(15), Instant.now().plusSeconds(60), "1", "2");
		LostRuns lost = lost();
		assertThat(lost.runs()).hasSize(2);
		assertThat(lost.waiting()).isEqualTo(3);
	}

	@Test
	void runsWhoseShardAnotherNodeOwnsAreLostAndNothingWaitsForThem() {
		this.queue.enqueue("2").node("shop-1");
		this.store.nodes().join("other", new NodeInfo("shop-2", 1, Duration.ofHours(1), Set.of("orders"), false));
		report("other", Duration.ofMinutes(15), Instant.now().plusSeconds(60), "1");
		LostRuns lost = lost();
		assertThat(lost.runs()).hasSize(1);
		assertThat(lost.waiting()).isZero();
		report("other", Duration.ofMinutes(15), Instant.now().minusSeconds(60), "1");
		assertThat(lost().runs()).as("reported before its end").isEmpty();
	}

	@Test
	void afterALapseTheThreadsOfANodeAreCountedOnce() {
		this.queue.busy("1").node("shop-1", "1");
		NodeInfo info = this.store.nodes().members().members().get(0).info();
		this.store.nodes().join("next", info);
		report(this.queue.session(), Duration.ofMinutes(15), Instant.now(), "1");
		report("next", Duration.ofMinutes(15), Instant.now().plusSeconds(60), "1");
		RunningJobs running = RunningJobs.of(this.reader.recent(), null);
		assertThat(running.threadCount()).isEqualTo(6);
		assertThat(running.performs()).hasSize(1);
		assertThat(lost().runs()).hasSize(1);
		assertThat(this.store.shards()
			.acquire(this.queue.layout().shard(0), LeaseRequest.afterLapse("next", this.queue.session()))
			.join()).isInstanceOf(Acquisition.Acquired.class);
		LostRuns lost = lost();
		assertThat(lost.runs()).hasSize(1);
		assertThat(lost.waiting()).as("the job that was put back").isEqualTo(1);
	}

}
