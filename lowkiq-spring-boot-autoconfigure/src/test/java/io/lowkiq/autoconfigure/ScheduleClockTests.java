package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Schedules go by the clock of the store, whatever the node's clock says. */
@Timeout(120)
class ScheduleClockTests {

	private static final Duration AHEAD = Duration.ofSeconds(40);

	private final InstantSource storeClock = () -> Instant.now().minus(AHEAD);

	private final Queue<Run> runs = new ConcurrentLinkedQueue<>();

	/**
	 * A run, by the clock of the store.
	 *
	 * @param time the time of the schedule
	 * @param at when it was performed
	 */
	record Run(Instant time, Instant at) {
	}

	@LowkiqWorker("ticking")
	@LowkiqSchedule(id = "every-second", cron = "* * * * * *", zone = "UTC")
	record Ticking(Queue<Run> runs, InstantSource clock) implements Worker<Instant> {

		@Override
		public void perform(String id, List<Instant> payloads) {
			Instant now = this.clock.instant();
			payloads.forEach((time) -> this.runs.add(new Run(time, now)));
		}

		@Override
		public Instant payloadAt(String schedule, Instant time) {
			return time;
		}

	}

	private ApplicationContextRunner node() {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
							LowkiqServerAutoConfiguration.class, LowkiqAdminAutoConfiguration.class))
			.withBean(Ticking.class, () -> new Ticking(this.runs, this.storeClock));
	}

	@Test
	void aNodeWhoseClockIsAheadSkipsNoTimesAndIsNotEarly() {
		RedisStore store = new InMemoryRedis(this.storeClock).store();
		node().withBean(RedisStore.class, () -> store).run((first) -> {
			await().atMost(Duration.ofSeconds(60)).until(() -> this.runs.size() >= 2);
			// A node that starts announces its schedules, beside a time that is waited
			// for
			node().withBean(RedisStore.class, () -> store).run((second) -> {
				int before = this.runs.size();
				await().atMost(Duration.ofSeconds(60)).until(() -> this.runs.size() >= before + 2);
			});
		});
		List<Run> all = List.copyOf(this.runs);
		assertThat(all).allSatisfy((run) -> assertThat(run.time()).isBeforeOrEqualTo(run.at()));
		for (int i = 1; i < all.size(); i++) {
			// A slow machine may skip a second, but not the whole difference
			assertThat(Duration.between(all.get(i - 1).time(), all.get(i).time())).isPositive().isLessThan(AHEAD);
		}
	}

}
