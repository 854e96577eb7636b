package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lettuce.core.cluster.SlotHash;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PartlyEnqueuedException;
import io.lowkiq.PerformContext;
import io.lowkiq.Worker;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * An application that starts while one of three masters of a Redis Cluster does not
 * respond: its client, its node, follow-ups and a schedule.
 */
class MasterAwayIntegrationTests {

	private static final List<String> IDS = IntStream.range(0, 40).mapToObj((i) -> "order-" + i).toList();

	private static final int SHARDS = 12;

	private final RedisClusterProcess cluster = RedisClusterProcess.start("--cluster-require-full-coverage", "no");

	private final Performs performs = new Performs();

	/** The one without records, nodes, and the schedule. */
	private final RedisProcess away = this.cluster.masters().get(2);

	@AfterEach
	void stop() {
		this.away.resume();
		this.cluster.close();
	}

	@Test
	void anApplicationThatStartsUsesTheShardsOfTheOtherMasters() {
		for (String key : List.of("queues", "nodes", "orders.schedules:1:0", shard("orders", "secondly"))) {
			assertThat(this.cluster.masterOf(SlotHash.getSlot(key))).as(key).isNotSameAs(this.away);
		}
		List<String> healthy = IDS.stream().filter((id) -> isHealthy("orders", id)).toList();
		List<String> followed = healthy.stream().filter((id) -> isHealthy("mails", id)).toList();
		assertThat(followed).isNotEmpty().hasSizeLessThan(healthy.size());
		this.away.pause();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
					LowkiqServerAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.cluster.nodes=" + String.join(",", this.cluster.nodes()),
					"spring.data.redis.timeout=5s")
			.withBean(Performs.class, () -> this.performs)
			.withBean(Orders.class)
			.withBean(Mails.class)
			.run((context) -> {
				LowkiqClient client = context.getBean(LowkiqClient.class);
				PartlyEnqueuedException partly = assertThatExceptionOfType(PartlyEnqueuedException.class)
					.isThrownBy(() -> client.enqueueAll("orders",
							IDS.stream().map((id) -> JobRequest.of(id, "first")).toList()))
					.actual();
				List<String> refused = partly.notEnqueued()
					.stream()
					.flatMap((some) -> some.positions().stream())
					.map(IDS::get)
					.toList();
				assertThat(refused).doesNotContainAnyElementsOf(healthy).hasSize(IDS.size() - healthy.size());
				awaitLong().untilAsserted(() -> {
					assertOnce("orders", healthy);
					assertOnce("mails", followed);
				});
				awaitLong().until(() -> this.performs.of("orders", "secondly").get() >= 2);
				this.away.resume();
				awaitLong().untilAsserted(() -> assertOnce("mails", healthy));
				assertOnce("orders", healthy);
			});
	}

	private void assertOnce(String queue, List<String> ids) {
		assertThat(ids).allSatisfy((id) -> assertThat(this.performs.of(queue, id)).as(id).hasValue(1));
	}

	private static String shard(String queue, String id) {
		return new QueueLayout(queue, 1, SHARDS).shardOf(id).toString();
	}

	private boolean isHealthy(String queue, String id) {
		return this.cluster.masterOf(SlotHash.getSlot(shard(queue, id))) != this.away;
	}

	private static ConditionFactory awaitLong() {
		return await().atMost(Duration.ofMinutes(2));
	}

	/** How often each id was performed. */
	static final class Performs {

		private final Map<String, AtomicInteger> all = new ConcurrentHashMap<>();

		AtomicInteger of(String queue, String id) {
			return this.all.computeIfAbsent(queue + " " + id, (key) -> new AtomicInteger());
		}

	}

	@LowkiqWorker(value = "orders", shards = SHARDS)
	@LowkiqSchedule(id = "secondly", cron = "* * * * * *", zone = "UTC")
	static class Orders implements Worker<String> {

		private final Performs performs;

		private final PerformContext context;

		Orders(Performs performs, PerformContext context) {
			this.performs = performs;
			this.context = context;
		}

		@Override
		public void perform(String id, List<String> payloads) {
			this.performs.of("orders", id).incrementAndGet();
			if (!id.equals("secondly")) {
				this.context.onSuccess().enqueue("mails", id, "sent");
			}
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return time.toString();
		}

	}

	@LowkiqWorker(value = "mails", shards = SHARDS)
	static class Mails implements Worker<String> {

		private final Performs performs;

		Mails(Performs performs) {
			this.performs = performs;
		}

		@Override
		public void perform(String id, List<String> payloads) {
			this.performs.of("mails", id).incrementAndGet();
		}

	}

}
