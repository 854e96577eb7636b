package io.lowkiq.autoconfigure.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A source in front of a Redis Cluster of three masters, one of which doesn't respond.
 */
class ClusterKafkaSourceIntegrationTests {

	private static final List<String> IDS = IntStream.range(0, 40).mapToObj((i) -> "order-" + i).toList();

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final String TOPIC = "changes";

	private final RedisClusterProcess cluster = RedisClusterProcess.start("--cluster-require-full-coverage", "no");

	private final EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 2, TOPIC);

	@BeforeEach
	void startBroker() {
		this.broker.afterPropertiesSet();
	}

	@AfterEach
	void stop() {
		this.cluster.masters().forEach(RedisProcess::resume);
		this.broker.destroy();
		this.cluster.close();
	}

	private ApplicationContextRunner application() {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
							LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class,
							KafkaAutoConfiguration.class, LowkiqKafkaAutoConfiguration.class))
			.withBean(Orders.class)
			.withPropertyValues("spring.data.redis.cluster.nodes=" + String.join(",", this.cluster.nodes()),
					"spring.data.redis.timeout=1s",
					"spring.kafka.bootstrap-servers=" + this.broker.getBrokersAsString());
	}

	@Test
	void anApplicationThatStartsMeanwhileEnqueuesRecordsOfTheOtherMasters() {
		RedisProcess stopped = withoutRegistry();
		QueueLayout layout = new QueueLayout("orders", 1, 12);
		List<String> healthy = IDS.stream()
			.filter((id) -> this.cluster.masterOf(SlotHash.getSlot(layout.shardOf(id).toString())) != stopped)
			.toList();
		stopped.pause();
		send("during", IDS);
		application().run((context) -> {
			Orders orders = context.getBean(Orders.class);
			awaitLong().untilAsserted(() -> orders.assertOnce("during", healthy));
			stopped.resume();
			awaitLong().untilAsserted(() -> assertThat(IDS)
				.allSatisfy((id) -> assertThat(orders.performs(id, "during")).hasPositiveValue()));
			orders.assertOnce("during", healthy);
		});
	}

	@Test
	void idsOfTheOtherMastersArePerformedOnceWhileOneIsStoppedAndAllWhenItIsBack() {
		application().run((context) -> {
			Orders orders = context.getBean(Orders.class);
			StoreEnqueuer enqueuer = context.getBean(StoreEnqueuer.class);
			KafkaSources sources = context.getBean(KafkaSources.class);
			send("before", IDS);
			awaitLong().untilAsserted(() -> orders.assertOnce("before", IDS));
			RedisProcess stopped = withoutRegistry();
			Map<Boolean, List<String>> byHealth = IDS.stream()
				.collect(Collectors.partitioningBy((id) -> masterOf(enqueuer, id) != stopped));
			List<String> healthy = byHealth.getOrDefault(true, List.of());
			List<String> away = byHealth.getOrDefault(false, List.of());
			assertThat(healthy).isNotEmpty();
			assertThat(away).isNotEmpty();
			stopped.pause();
			send("during", IDS);
			awaitLong().untilAsserted(() -> orders.assertOnce("during", healthy));
			awaitLong().until(() -> sources.all().get(0).waiting() == away.size());
			send("behind", healthy);
			awaitLong().untilAsserted(() -> orders.assertOnce("behind", healthy));
			await().during(Duration.ofSeconds(10)).atMost(LONG).untilAsserted(() -> {
				orders.assertOnce("during", healthy);
				orders.assertOnce("behind", healthy);
			});
			assertThat(away).allSatisfy((id) -> assertThat(orders.performs(id, "during")).hasValue(0));
			stopped.resume();
			awaitLong().untilAsserted(() -> assertThat(away)
				.allSatisfy((id) -> assertThat(orders.performs(id, "during")).hasPositiveValue()));
			awaitLong().until(() -> sources.all().get(0).waiting() == 0);
			orders.assertOnce("during", healthy);
			orders.assertOnce("behind", healthy);
		});
	}

	private void send(String payload, List<String> ids) {
		// An idempotent producer stumbles over topics that were created a moment ago
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, this.broker.getBrokersAsString(),
						ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false,
						ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1),
				new ByteArraySerializer(), new ByteArraySerializer())) {
			ids.forEach((id) -> producer.send(new ProducerRecord<>(TOPIC, id.getBytes(StandardCharsets.UTF_8),
					payload.getBytes(StandardCharsets.UTF_8))));
		}
	}

	/** What the nodes need to know of each other is on the others. */
	private RedisProcess withoutRegistry() {
		Set<RedisProcess> needed = Stream.of("queues", "nodes")
			.map((key) -> this.cluster.masterOf(SlotHash.getSlot(key)))
			.collect(Collectors.toSet());
		return this.cluster.masters().stream().filter((master) -> !needed.contains(master)).findFirst().orElseThrow();
	}

	private RedisProcess masterOf(StoreEnqueuer enqueuer, String id) {
		return this.cluster.masterOf(SlotHash.getSlot(enqueuer.shardOf("orders", id).toString()));
	}

	private static ConditionFactory awaitLong() {
		return await().atMost(LONG);
	}

	@LowkiqWorker(value = "orders", shards = 12)
	@LowkiqKafkaSource(topics = TOPIC)
	static class Orders implements Worker<String> {

		/** By id and payload: how often it was performed. */
		private final Map<String, AtomicInteger> performs = new ConcurrentHashMap<>();

		@Override
		public void perform(String id, List<String> payloads) {
			payloads.forEach((payload) -> performs(id, payload).incrementAndGet());
		}

		AtomicInteger performs(String id, String payload) {
			return this.performs.computeIfAbsent(id + " " + payload, (key) -> new AtomicInteger());
		}

		void assertOnce(String payload, List<String> ids) {
			assertThat(ids).allSatisfy((id) -> assertThat(performs(id, payload)).as(id).hasValue(1));
		}

	}

}
