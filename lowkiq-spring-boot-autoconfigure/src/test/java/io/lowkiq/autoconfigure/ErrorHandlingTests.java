package io.lowkiq.autoconfigure;

import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lowkiq.JobErrorHandler;
import io.lowkiq.JobErrorHandler.Decision;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.MemoryStoreConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Beans that decide about the failures of all workers. */
class ErrorHandlingTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class, Handlers.class)
		.withBean(OrderWorker.class)
		.withBean(MailWorker.class);

	@Test
	void handlersDecideInTheirOrderForAllWorkers() {
		this.runner.run((context) -> {
			LowkiqClient client = context.getBean(LowkiqClient.class);
			client.enqueue("orders", "42", "refused");
			client.enqueue("mails", "7", "unclear");
			Handlers handlers = context.getBean(Handlers.class);
			await().untilAsserted(() -> assertThat(handlers.seen).contains("first orders 42 [refused] 1",
					"second orders 42 [refused] 1", "first mails 7 [unclear] 1", "second mails 7 [unclear] 1"));
			await().untilAsserted(() -> {
				assertThat(snapshot(context.getBean(RedisStore.class), "orders").dead()).isEqualTo(1);
				assertThat(snapshot(context.getBean(RedisStore.class), "mails").held()).isEqualTo(1);
			});
			assertThat(handlers.seen).hasSize(4);
		});
	}

	@Test
	void noHandlerEndsASchedule() {
		this.runner.withBean(ScheduledWorker.class).run((context) -> {
			RedisStore store = context.getBean(RedisStore.class);
			await().untilAsserted(() -> assertThat(store.queues().find("reports.schedules")).isPresent());
			await().untilAsserted(
					() -> assertThat(snapshot(context.getBean(RedisStore.class), "reports.schedules").retry())
						.isEqualTo(1));
			assertThat(context.getBean(Handlers.class).seen).isEmpty();
		});
	}

	private static ShardCounts snapshot(RedisStore store, String queue) {
		return store.inspection().counts(store.queues().find(queue).orElseThrow().allShards().get(0));
	}

	@Configuration(proxyBeanMethods = false)
	static class Handlers {

		/** Written by performing threads, read by the test. */
		private final Queue<String> seen = new ConcurrentLinkedQueue<>();

		@Bean
		@Order(Ordered.LOWEST_PRECEDENCE)
		JobErrorHandler second() {
			return (failure) -> {
				note("second", failure);
				return failure.queue().equals("orders") ? Decision.bury() : Decision.hold();
			};
		}

		@Bean
		@Order(0)
		JobErrorHandler first() {
			return (failure) -> {
				note("first", failure);
				return null;
			};
		}

		private void note(String handler, JobErrorHandler.Failure failure) {
			this.seen.add("%s %s %s %s %d".formatted(handler, failure.queue(), failure.id(), failure.payloads(),
					failure.attempt()));
		}

	}

	@LowkiqWorker(queue = "orders", shards = 1)
	static class OrderWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
			throw new IllegalStateException("down");
		}

	}

	@LowkiqWorker("reports")
	@LowkiqSchedule(id = "every-second", cron = "* * * * * *", zone = "UTC")
	static class ScheduledWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			throw new IllegalStateException("no payload");
		}

	}

	@LowkiqWorker(queue = "mails", shards = 1)
	static class MailWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
			throw new IllegalStateException("down");
		}

	}

}
