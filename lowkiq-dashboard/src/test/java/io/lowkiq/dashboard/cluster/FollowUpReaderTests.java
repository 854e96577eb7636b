package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FollowUpReaderTests {

	private Instant now = Instant.now();

	private final RedisStore store = InMemoryRedis.newStore(() -> this.now);

	private final FollowUpReader reader = new FollowUpReader(TestAdmin.of(this.store), () -> this.now);

	private final TestQueue orders = new TestQueue(this.store, "orders", 2);

	private List<Found> problems() {
		List<Found> found = new ArrayList<>();
		this.reader.addTo(found, new ClusterReader(this.store, () -> this.now).recent());
		return found;
	}

	private void follow(String id, String queue) {
		this.orders.done(id, List.of(new FollowUp(queue, NewPayload.of(id, TestQueue.payload(id)))));
	}

	@Test
	void aQueueThatNobodyHasDeclaredIsAProblemAfterAMinute() {
		assertThat(problems()).isEmpty();
		follow("1", "mails");
		this.now = this.now.plusSeconds(2);
		assertThat(problems()).isEmpty();
		for (int i = 0; i < 10; i++) {
			this.now = this.now.plusSeconds(6);
			assertThat(problems()).hasSize((i < 9) ? 0 : 1);
		}
		assertThat(problems()).allSatisfy((problem) -> {
			assertThat(problem.severity()).isEqualTo(Found.Severity.WARNING);
			assertThat(problem.sentence()).isEqualTo(
					"1 payload that follows jobs of orders waits for queue mails, which no application has declared or served.");
		});
		this.store.queues().register("mails", 1);
		this.now = this.now.plusSeconds(6);
		assertThat(problems()).isEmpty();
	}

	@Test
	void whereNobodyHasLookedItMayHaveWaitedForLong() {
		follow("1", "mails");
		assertThat(problems()).hasSize(1);
	}

	@Test
	void whereNobodyHasLookedForAMinuteItMayHaveWaitedForLong() {
		assertThat(problems()).isEmpty();
		this.now = this.now.plus(Duration.ofMinutes(2));
		follow("1", "mails");
		assertThat(problems()).hasSize(1);
	}

}
