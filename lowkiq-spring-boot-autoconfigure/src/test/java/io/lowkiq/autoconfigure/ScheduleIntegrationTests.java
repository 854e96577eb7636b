package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.Worker;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Recurring jobs on several nodes. */
class ScheduleIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final String prefix = TestRedis.uniquePrefix();

	@LowkiqWorker("ticking")
	@LowkiqSchedule(id = "every-second", cron = "* * * * * *", zone = "UTC")
	static class Ticking implements Worker<Long> {

		/**
		 * The times of all nodes' jobs, in seconds since 1970, as they were performed.
		 */
		private final Queue<Long> times;

		Ticking(Queue<Long> times) {
			this.times = times;
		}

		@Override
		public void perform(String id, List<Long> payloads) {
			this.times.addAll(payloads);
		}

		@Override
		public Long payloadAt(String schedule, Instant time) {
			return time.getEpochSecond();
		}

	}

	private ApplicationContextRunner node(Queue<Long> times) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
					LowkiqServerAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.url=" + TestRedis.shared().url(), "lowkiq.key-prefix=" + this.prefix)
			.withBean(Ticking.class, () -> new Ticking(times));
	}

	@Test
	void eachTimeGivesOneJobWhateverTheNumberOfNodes() {
		Queue<Long> times = new ConcurrentLinkedQueue<>();
		node(times).run((one) -> node(times).run((other) -> {
			assertThat(one).hasNotFailed();
			assertThat(other).hasNotFailed();
			await().atMost(LONG).until(() -> times.size() >= 3);
		}));
		assertThat(List.copyOf(times)).doesNotHaveDuplicates().isSorted();
	}

	@Test
	void interceptorsOfTheApplicationSeeJobsAndNoTicks() {
		Queue<Long> times = new ConcurrentLinkedQueue<>();
		Queue<String> seen = new ConcurrentLinkedQueue<>();
		node(times).withBean(EnqueueInterceptor.class, () -> (call, chain) -> {
			seen.add("enqueue " + call.queue());
			chain.proceed(call);
		}).withBean(PerformInterceptor.class, () -> (call, chain) -> {
			seen.add("perform " + call.queue());
			chain.proceed();
		}).run((node) -> await().atMost(LONG).until(() -> times.size() >= 2));
		assertThat(seen).contains("enqueue ticking", "perform ticking")
			.doesNotContain("enqueue ticking.schedules", "perform ticking.schedules");
	}

	@Test
	void timesThatWereMissedGiveOneJob() {
		Queue<Long> before = new ConcurrentLinkedQueue<>();
		node(before).run((node) -> await().atMost(LONG).until(() -> !before.isEmpty()));
		long last = before.stream().mapToLong(Long::longValue).max().orElseThrow();
		long stopped = Instant.now().getEpochSecond();
		await().atMost(LONG).until(() -> Instant.now().getEpochSecond() > Math.max(stopped, last) + 4);
		long back = Instant.now().getEpochSecond();
		Queue<Long> after = new ConcurrentLinkedQueue<>();
		node(after).run((node) -> await().atMost(LONG).until(() -> after.size() >= 2));
		assertThat(after.stream().filter((time) -> time < back)).as("Missed times").isNotEmpty();
		assertThat(after.stream().filter((time) -> time > stopped && time < back)).as("Times while no node ran")
			.hasSizeLessThanOrEqualTo(1);
		assertThat(after).doesNotHaveDuplicates().noneMatch(before::contains);
	}

}
