package io.lowkiq.autoconfigure.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The health of nodes that share a queue. */
class HealthIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final String prefix = TestRedis.uniquePrefix();

	private final AtomicLong nanoTime = new AtomicLong();

	@Test
	void nodesStayUpWhenOthersJoinAndLeave() {
		node((first) -> {
			await().atMost(LONG).until(() -> held(first) == 12);
			LowkiqHealthIndicator health = health(first);
			node((second) -> {
				await().atMost(LONG).until(() -> held(first) == 6 && held(second) == 6);
				LowkiqHealthIndicator healthOfSecond = health(second);
				assertThatStayUp(health, healthOfSecond);
				node((third) -> {
					await().atMost(LONG).until(() -> held(first) == 4 && held(second) == 4 && held(third) == 4);
					assertThatStayUp(health, healthOfSecond, health(third));
				});
				await().atMost(LONG).until(() -> held(first) == 6 && held(second) == 6);
				assertThatStayUp(health, healthOfSecond);
			});
			await().atMost(LONG).until(() -> held(first) == 12);
			assertThatStayUp(health);
		});
	}

	/** Has time pass in which a shard without an owner would be noticed. */
	private void assertThatStayUp(LowkiqHealthIndicator... nodes) {
		for (LowkiqHealthIndicator node : nodes) {
			node.health();
		}
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
		for (LowkiqHealthIndicator node : nodes) {
			Health health = node.health();
			assertThat(health.getStatus()).as("%s", health).isEqualTo(Status.UP);
		}
	}

	private LowkiqHealthIndicator health(ApplicationContext node) {
		return new LowkiqHealthIndicator(node.getBean(LowkiqServer.class)::status,
				node.getBean(QueueStatistics.class)::snapshot, new UnownedShards(this.nanoTime::get, PATIENCE),
				Map.of(), List::of, null);
	}

	private static long held(ApplicationContext node) {
		return node.getBean(LowkiqServer.class).status().shards().stream().filter(ShardStatus::held).count();
	}

	private void node(Consumer<ApplicationContext> test) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
					LowkiqServerAutoConfiguration.class))
			.withBean(OrderWorker.class)
			.withPropertyValues("spring.data.redis.url=" + TestRedis.shared().url(), "lowkiq.key-prefix=" + this.prefix,
					"lowkiq.metrics.cache=0s")
			.run((context) -> test.accept(context));
	}

	@LowkiqWorker(queue = "orders", shards = 12)
	static class OrderWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

}
