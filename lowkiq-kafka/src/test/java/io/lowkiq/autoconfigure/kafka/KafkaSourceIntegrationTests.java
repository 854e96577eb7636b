package io.lowkiq.autoconfigure.kafka;

import java.io.IOException;
import java.lang.reflect.Type;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpServer;
import io.lowkiq.BuryException;
import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.Worker;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredPayload;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import org.springframework.util.CollectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** A source between a real broker and a real Redis. */
@ExtendWith(OutputCaptureExtension.class)
class KafkaSourceIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final int PARTITIONS = 3;

	private static EmbeddedKafkaKraftBroker broker;

	private static KafkaProducer<byte[], byte[]> producer;

	@AutoClose
	private final RedisProcess redis = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");

	private final String topic = "changes-" + UUID.randomUUID();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class, KafkaAutoConfiguration.class,
				LowkiqKafkaAutoConfiguration.class))
		.withBean(OrderWorker.class)
		.withBean(Losses.class)
		.withPropertyValues("changes.topic=" + this.topic, "lowkiq.key-prefix=" + this.topic,
				"spring.data.redis.url=" + this.redis.url(), "spring.data.redis.timeout=500ms",
				"spring.kafka.bootstrap-servers=" + broker.getBrokersAsString());

	private final ApplicationContextRunner withoutServer = this.runner
		.withPropertyValues("lowkiq.server.enabled=false");

	@BeforeAll
	static void startBroker() {
		broker = new EmbeddedKafkaKraftBroker(1, PARTITIONS);
		broker.afterPropertiesSet();
		// An idempotent producer stumbles over topics that were created a moment ago
		producer = new KafkaProducer<>(
				Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.getBrokersAsString(),
						ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false,
						ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1),
				new ByteArraySerializer(), new ByteArraySerializer());
	}

	@AfterAll
	static void stopBroker() {
		producer.close();
		broker.destroy();
	}

	@BeforeEach
	void createTopic() {
		broker.addTopics(this.topic);
	}

	@Test
	void recordsArePerformedInTheOrderOfTheirKeyAndCommitted() {
		sendOrders(1, 30);
		this.runner.run((context) -> {
			OrderWorker worker = context.getBean(OrderWorker.class);
			sendOrders(31, 60);
			await().atMost(LONG).until(() -> uncommitted() == 0);
			await().atMost(LONG).until(() -> hasAll(worker, 60));
			for (int key = 0; key < 10; key++) {
				// A producer without idempotence may have sent some twice
				assertThat(worker.versions.get("order-" + key).stream().distinct()).as("order-" + key)
					.containsExactlyElementsOf(IntStream.rangeClosed(1, 60).mapToObj(Long::valueOf).toList());
			}
		});
	}

	@Test
	void aSourceThatNoBrokerAnswersHasAProblem() {
		long later = System.currentTimeMillis() + 2 * RunningSource.SILENCE.toMillis();
		this.withoutServer.withPropertyValues("spring.kafka.bootstrap-servers=localhost:1").run((context) -> {
			RunningSource source = context.getBean(KafkaSources.class).running().get(0);
			await().atMost(LONG).until(() -> source.problem(later) != null);
			assertThat(source.problem(System.currentTimeMillis())).isNull();
		});
		// A consumer more than partitions
		this.withoutServer.withPropertyValues("spring.kafka.listener.concurrency=" + (PARTITIONS + 1))
			.run((context) -> {
				sendOrders(1, 1);
				await().atMost(LONG).until(() -> uncommitted() == 0);
				assertThat(context.getBean(KafkaSources.class).running().get(0).problem(later)).isNull();
			});
	}

	@Test
	void duringAnOutageNothingIsCommittedAndPartitionsAreKept(CapturedOutput output) {
		this.withoutServer
			.withPropertyValues("spring.kafka.consumer.properties.max.poll.interval.ms=4000",
					"spring.kafka.listener.concurrency=2")
			.run((context) -> {
				sendOrders(1, 10);
				await().atMost(LONG).until(() -> uncommitted() == 0);
				// Otherwise, partitions may move to the other consumer during the outage
				await().atMost(LONG).until(() -> haveAllPartitions(context));
				long before = committed();
				this.redis.kill();
				sendOrders(11, 20);
				await().atMost(LONG).until(() -> output.toString().contains("can't be enqueued into queue 'orders'"));
				// Longer than a consumer may go without polling
				await().during(Duration.ofSeconds(8)).atMost(LONG).until(() -> committed() == before);
				this.redis.restart();
				await().atMost(LONG).until(() -> uncommitted() == 0);
				assertThat(context.getBean(Losses.class).count).hasValue(0);
				assertThat(context.getBean(KafkaSources.class).containers().get(0).isRunning()).isTrue();
				RedisStore store = context.getBean(RedisStore.class);
				for (int key = 0; key < 10; key++) {
					assertThat(versions(store, "order-" + key))
						.containsExactlyElementsOf(IntStream.rangeClosed(1, 20).boxed().toList());
				}
				assertThat(output).containsOnlyOnce("can't be enqueued into queue 'orders'")
					.containsOnlyOnce("wait for queue 'orders' any more");
			});
	}

	/** Whether each consumer has at least one. */
	private static boolean haveAllPartitions(ApplicationContext context) {
		return context.getBean(KafkaSources.class)
			.containers()
			.stream()
			.flatMap((each) -> each.getContainers().stream())
			.noneMatch((each) -> CollectionUtils.isEmpty(each.getAssignedPartitions()));
	}

	@Test
	void whileRedisIsFullNothingIsCommitted(CapturedOutput output) {
		this.withoutServer.run((context) -> {
			sendOrders(1, 10);
			await().atMost(LONG).until(() -> uncommitted() == 0);
			long before = committed();
			this.redis.call("CONFIG", "SET", "maxmemory", "1");
			sendOrders(11, 20);
			await().atMost(LONG).until(() -> output.toString().contains("can't be enqueued into queue 'orders'"));
			assertThat(committed()).isEqualTo(before);
			this.redis.call("CONFIG", "SET", "maxmemory", "0");
			await().atMost(LONG).until(() -> uncommitted() == 0);
			assertThat(versions(context.getBean(RedisStore.class), "order-3"))
				.containsExactlyElementsOf(IntStream.rangeClosed(1, 20).boxed().toList());
		});
	}

	@Test
	void aRecordThatCannotBeDeserializedGoesToTheMorgue() {
		this.withoutServer.withPropertyValues(
				"spring.kafka.consumer.value-deserializer=org.springframework.kafka.support.serializer.JacksonJsonDeserializer",
				"spring.kafka.consumer.properties.spring.json.value.default.type=" + Order.class.getName())
			.run((context) -> {
				send("order-1", "{\"id\": \"1\", \"version\": 1}");
				send("order-1", "{\"id\": ");
				send("order-1", "{\"id\": \"1\", \"version\": 2}");
				producer.flush();
				await().atMost(LONG).until(() -> uncommitted() == 0);
				RedisStore store = context.getBean(RedisStore.class);
				assertThat(versions(store, "order-1")).containsExactly(1, 2);
				JobView dead = find(store, "order-1", JobView.State.DEAD);
				assertThat(texts(dead)).singleElement().asString().contains("\"text\":\"{\\\"id\\\": \"");
				assertThat(dead.error()).contains("topic " + this.topic + ", partition ")
					.contains(" can't become a job. Its value can't be deserialized: ");
			});
	}

	@Test
	void anErrorIsAFailureOfItsRecordAlsoAfterARestart() {
		this.runner.withBean(Fragile.class).run((context) -> {
			sendOrders(1, 50);
			send("order-3", "{\"id\": \"broken\", \"version\": 51}");
			sendOrders(52, 100);
			await().atMost(LONG).until(() -> uncommitted() == 0);
			OrderWorker worker = context.getBean(OrderWorker.class);
			await().atMost(LONG).until(() -> hasAll(worker, 100));
			JobView dead = find(context.getBean(RedisStore.class), "order-3", JobView.State.DEAD);
			assertThat(dead.payloads()).hasSize(1);
			assertThat(dead.error()).contains("java.lang.NoClassDefFoundError: com/example/Gone");
			assertThat(context.getBean(KafkaSources.class).containers().get(0).isChildRunning()).isTrue();
		});
		sendOrders(101, 101);
		this.runner.withBean(Fragile.class).run((context) -> {
			OrderWorker worker = context.getBean(OrderWorker.class);
			await().atMost(LONG).until(() -> worker.versions.size() == 10);
			assertThat(worker.versions.get("order-3")).containsExactly(101L);
		});
	}

	@Test
	void whileARegistryIsAwayNothingIsBuriedOrCommitted() throws IOException {
		HttpServer registry = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
		registry.start();
		ApplicationContextRunner asking = this.runner.withPropertyValues(
				"spring.kafka.consumer.value-deserializer=" + AskingDeserializer.class.getName(),
				"spring.kafka.consumer.properties.registry=http://localhost:" + registry.getAddress().getPort());
		asking.run((context) -> {
			sendOrders(1, 10);
			OrderWorker worker = context.getBean(OrderWorker.class);
			await().atMost(LONG).until(() -> hasAll(worker, 10));
			await().atMost(LONG).until(() -> uncommitted() == 0);
			long before = committed();
			registry.stop(0);
			sendOrders(11, 20);
			KafkaSources sources = context.getBean(KafkaSources.class);
			await().atMost(LONG).until(() -> sources.all().get(0).waiting() == 100);
			await().during(Duration.ofSeconds(8)).atMost(LONG).until(() -> committed() == before);
			assertThat(sources.all().get(0).state()).isEqualTo(SourceStatus.State.RUNNING);
			HttpServer again = HttpServer.create(registry.getAddress(), 0);
			again.start();
			await().atMost(LONG).until(() -> hasAll(worker, 20));
			await().atMost(LONG).until(() -> uncommitted() == 0);
			again.stop(0);
			for (int key = 0; key < 10; key++) {
				assertThat(find(context.getBean(RedisStore.class), "order-" + key, JobView.State.DEAD)).isNull();
				assertThat(worker.versions.get("order-" + key).stream().distinct()).isSorted().hasSize(20);
			}
		});
	}

	@Test
	void aStoppedSourceIsDownAndCanBeResumed(CapturedOutput output) {
		this.runner.withConfiguration(AutoConfigurations.of(LowkiqAdminAutoConfiguration.class))
			.withPropertyValues("spring.kafka.consumer.auto-offset-reset=none")
			.run((context) -> {
				LowkiqAdmin admin = context.getBean(LowkiqAdmin.class);
				await().atMost(LONG).until(() -> admin.sources().get(0).state() == SourceStatus.State.FAILED);
				MeterRegistry meters = new SimpleMeterRegistry();
				context.getBean(SourceGauges.class).bindTo(meters);
				SourcesHealthIndicator health = context.getBean(SourcesHealthIndicator.class);
				assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
				assertThat(health.health().getDetails().get("lowkiq-kafka-orders").toString()).contains("state=failed");
				assertThat(meters.get("lowkiq.source.running").tag("queue", "orders").gauge().value()).isZero();
				await().atMost(LONG)
					.until(() -> output.toString()
						.contains("A consumer of Kafka source 'lowkiq-kafka-orders' has stopped (NO_OFFSET)"));
				setOffsets(0);
				admin.resumeSource("lowkiq-kafka-orders");
				sendOrders(1, 1);
				await().atMost(LONG).until(() -> uncommitted() == 0);
				assertThat(health.health().getStatus()).isEqualTo(Status.UP);
				assertThat(meters.get("lowkiq.source.running").gauge().value()).isEqualTo(1);
			});
	}

	@Test
	void aSourceCanBePausedResumedAndSentBack() {
		this.runner.withConfiguration(AutoConfigurations.of(LowkiqAdminAutoConfiguration.class)).run((context) -> {
			LowkiqAdmin admin = context.getBean(LowkiqAdmin.class);
			String source = "lowkiq-kafka-orders";
			sendOrders(1, 1);
			await().atMost(LONG).until(() -> uncommitted() == 0);
			admin.pauseSource(source);
			assertThat(admin.sources().get(0).state()).isEqualTo(SourceStatus.State.PAUSED);
			await().atMost(LONG)
				.until(() -> context.getBean(KafkaSources.class).containers().get(0).isContainerPaused());
			long before = committed();
			sendOrders(2, 2);
			await().during(Duration.ofSeconds(2)).atMost(LONG).until(() -> committed() == before);
			assertThat(admin.sources().get(0).partitions()).hasSize(3)
				.as("what waits while paused is not known")
				.allMatch((each) -> each.lag() == null);
			admin.resumeSource(source);
			await().atMost(LONG).until(() -> uncommitted() == 0);
			List<SourceStatus.Partition> partitions = admin.sources().get(0).partitions();
			assertThat(partitions).extracting(SourceStatus.Partition::partition).containsExactly(0, 1, 2);
			await().atMost(LONG)
				.until(() -> admin.sources()
					.get(0)
					.partitions()
					.stream()
					.allMatch((each) -> Long.valueOf(0).equals(each.lag())));
			OrderWorker worker = context.getBean(OrderWorker.class);
			await().atMost(LONG).until(() -> hasAll(worker, 2));
			int performed = worker.versions.values().stream().mapToInt(List::size).sum();
			partitions.forEach((each) -> admin.seekSource(source, this.topic, each.partition(), 0));
			await().atMost(LONG)
				.until(() -> worker.versions.values().stream().mapToInt(List::size).sum() >= performed + 20);
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> admin.seekSource(source, this.topic, 7, 0))
				.withMessageContaining("is not assigned to source");
		});
	}

	@Test
	void theStartNamesGroupAndTopics(CapturedOutput output) {
		this.withoutServer.withPropertyValues("spring.kafka.consumer.group-id=shop")
			.run((context) -> assertThat(output).contains(
					"Kafka source 'lowkiq-kafka-orders' reads the topics [%s] into queue 'orders', as consumer group 'shop-orders', which begins with spring.kafka.consumer.group-id. Offsets that group '%s' has committed are not used"
						.formatted(this.topic, group())));
	}

	@Test
	void aRecordThatWasGivenUpIsReadOnceMoreByItsSource() {
		Repairs repairs = new Repairs();
		this.runner.withConfiguration(AutoConfigurations.of(LowkiqAdminAutoConfiguration.class))
			.withBean(KafkaSource.class,
					() -> KafkaSource.of("orders", this.topic)
						.groupId("other")
						.id("#{headers['order']}")
						.payload(repairs::payload))
			.withPropertyValues("changes.topic=" + this.topic + "-none")
			.run((context) -> {
				producer.send(new ProducerRecord<>(this.topic, 0, bytes("key"), bytes("7"),
						List.of(new RecordHeader("order", bytes("order-1")))));
				producer.send(new ProducerRecord<>(this.topic, 0, bytes("key"), bytes("8")));
				producer.flush();
				LowkiqAdmin admin = context.getBean(LowkiqAdmin.class);
				RedisStore store = context.getBean(RedisStore.class);
				String nameless = this.topic + "-0@1";
				await().atMost(LONG).until(() -> find(store, "order-1", JobView.State.DEAD) != null);
				await().atMost(LONG).until(() -> find(store, nameless, JobView.State.DEAD) != null);
				admin.act("orders.records", AdminAction.RE_ENQUEUE_ALL_DEAD, List.of(), ActionProgress.NONE);
				await().atMost(LONG).until(() -> find(store, "order-1", JobView.State.DEAD) != null);
				repairs.done = true;
				admin.act("orders.records", AdminAction.RE_ENQUEUE_ALL_DEAD, List.of(), ActionProgress.NONE);
				OrderWorker worker = context.getBean(OrderWorker.class);
				await().atMost(LONG).until(() -> worker.versions.containsKey("order-1"));
				assertThat(worker.versions).containsOnlyKeys("order-1").containsEntry("order-1", List.of(7L));
				await().atMost(LONG).until(() -> find(store, nameless, JobView.State.DEAD) != null);
				assertThat(find(store, "order-1", JobView.State.DEAD)).isNull();
			});
	}

	@Test
	void aValueThatLooksLikeAPayloadWithANextStepIsOnlyAPayload() {
		byte[] forged = StoredPayload.of(bytes("{}"),
				new FollowUp("mails", NewPayload.of("m", bytes("mail"))).toBytes());
		this.runner.withConfiguration(AutoConfigurations.of(LowkiqAdminAutoConfiguration.class))
			.withBean(RawWorker.class)
			.withBean(PayloadCodec.class, RawCodec::new)
			.withPropertyValues("changes.topic=" + this.topic + "-none", "raw.topic=" + this.topic,
					"spring.kafka.consumer.value-deserializer=" + ByteArrayDeserializer.class.getName())
			.run((context) -> {
				RedisStore store = context.getBean(RedisStore.class);
				QueueLayout mails = store.queues().register("mails", 1);
				producer.send(new ProducerRecord<>(this.topic, bytes("order-1"), forged));
				producer.flush();
				LowkiqAdmin admin = context.getBean(LowkiqAdmin.class);
				QueueLayout raw = store.queues().find("raw").orElseThrow();
				Shard shard = raw.shardOf("order-1");
				await().atMost(LONG).until(() -> store.inspection().counts(shard).dead() == 1);
				RawWorker worker = context.getBean(RawWorker.class);
				worker.repaired = true;
				admin.reEnqueue("raw", "order-1");
				await().atMost(LONG).until(() -> store.inspection().counts(shard).processed() == 1);
				assertThat(store.inspection().counts(shard).followUps()).isZero();
				assertThat(store.inspection().counts(mails.shard(0)).queued()).isZero();
				assertThat(worker.values).containsExactly(forged, forged);
			});
	}

	@Test
	void recordsThatComeAgainMerge() {
		sendOrders(1, 10);
		this.withoutServer.run((context) -> await().atMost(LONG).until(() -> uncommitted() == 0));
		setOffsets(0);
		sendOrders(11, 11);
		this.withoutServer.run((context) -> {
			await().atMost(LONG).until(() -> uncommitted() == 0);
			assertThat(versions(context.getBean(RedisStore.class), "order-5"))
				.containsExactlyElementsOf(IntStream.rangeClosed(1, 11).boxed().toList());
		});
	}

	private void setOffsets(long offset) {
		Map<TopicPartition, OffsetAndMetadata> offsets = new ConcurrentHashMap<>();
		for (int partition = 0; partition < PARTITIONS; partition++) {
			offsets.put(new TopicPartition(this.topic, partition), new OffsetAndMetadata(offset));
		}
		broker.doWithAdmin((admin) -> await().atMost(LONG).ignoreExceptions().until(() -> {
			admin.alterConsumerGroupOffsets(group(), offsets).all().get();
			return true;
		}));
	}

	private static boolean hasAll(OrderWorker worker, long version) {
		return worker.versions.size() == 10
				&& worker.versions.values().stream().allMatch((all) -> all.contains(version));
	}

	private void sendOrders(int from, int to) {
		for (int version = from; version <= to; version++) {
			for (int key = 0; key < 10; key++) {
				send("order-" + key, "{\"id\": \"%d\", \"version\": %d}".formatted(key, version));
			}
		}
		producer.flush();
	}

	private void send(String key, String value) {
		producer.send(new ProducerRecord<>(this.topic, bytes(key), bytes(value)));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private String group() {
		return this.topic + "-orders";
	}

	/** How many records of the topic are committed. */
	private long committed() {
		return broker.doWithAdminFunction((admin) -> {
			try {
				return admin.listConsumerGroupOffsets(group())
					.partitionsToOffsetAndMetadata()
					.get()
					.values()
					.stream()
					.mapToLong(OffsetAndMetadata::offset)
					.sum();
			}
			catch (InterruptedException | ExecutionException ex) {
				return -1L;
			}
		});
	}

	/** How many records of the topic are not committed. */
	private long uncommitted() {
		Map<TopicPartition, OffsetSpec> ends = new ConcurrentHashMap<>();
		for (int partition = 0; partition < PARTITIONS; partition++) {
			ends.put(new TopicPartition(this.topic, partition), OffsetSpec.latest());
		}
		long sent = broker.doWithAdminFunction((admin) -> {
			try {
				return admin.listOffsets(ends).all().get().values().stream().mapToLong((end) -> end.offset()).sum();
			}
			catch (InterruptedException | ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
		});
		return sent - committed();
	}

	private static List<Integer> versions(RedisStore store, String id) {
		return texts(find(store, id, JobView.State.QUEUED)).stream()
			.map((json) -> Integer.valueOf(json.replaceAll(".*\"version\":(\\d+)}", "$1")))
			.toList();
	}

	private static List<String> texts(JobView job) {
		List<String> texts = new ArrayList<>();
		for (Payload payload : job.payloads()) {
			texts.add(new String(payload.bytes(), StandardCharsets.UTF_8));
		}
		return texts;
	}

	private static @Nullable JobView find(RedisStore store, String id, JobView.State state) {
		return store.queues()
			.find((state == JobView.State.DEAD) ? "orders.records" : "orders")
			.flatMap((layout) -> store.inspection().find(layout.shardOf(id), state, id, 100))
			.orElse(null);
	}

	@LowkiqWorker("orders")
	@LowkiqKafkaSource(topics = "${changes.topic}")
	static class OrderWorker implements Worker<Order> {

		final Map<String, List<Long>> versions = new ConcurrentHashMap<>();

		@Override
		public void perform(String id, List<Order> payloads) {
			List<Long> all = this.versions.computeIfAbsent(id, (key) -> new CopyOnWriteArrayList<>());
			payloads.forEach((order) -> all.add(order.version()));
		}

	}

	/** Takes values as they are, as soon as it is repaired. */
	@LowkiqWorker("raw")
	@LowkiqKafkaSource(topics = "${raw.topic}")
	static class RawWorker implements Worker<byte[]> {

		final List<byte[]> values = new CopyOnWriteArrayList<>();

		volatile boolean repaired;

		@Override
		public void perform(String id, List<byte[]> payloads) {
			this.values.addAll(payloads);
			if (!this.repaired) {
				throw new BuryException("Not yet");
			}
		}

	}

	/** Keeps bytes as they are. */
	static class RawCodec implements PayloadCodec {

		@Override
		public byte[] encode(Object payload, Type type) {
			return (byte[]) payload;
		}

		@Override
		public Object decode(byte[] bytes, Type type) {
			return bytes;
		}

	}

	/** Ends in an error where a payload is enqueued that it doesn't like. */
	static class Fragile implements EnqueueInterceptor {

		@Override
		public void enqueue(Call call, Chain chain) {
			if (call.requests().stream().anyMatch((request) -> ((Order) request.payload()).id().equals("broken"))) {
				throw new NoClassDefFoundError("com/example/Gone");
			}
			chain.proceed(call);
		}

	}

	/** Asks a server before it deserializes anything, as for a schema. */
	public static class AskingDeserializer implements Deserializer<String> {

		private URI registry = URI.create("http://localhost");

		@Override
		public void configure(Map<String, ?> configs, boolean isKey) {
			this.registry = URI.create(String.valueOf(configs.get("registry")));
		}

		@Override
		public @Nullable String deserialize(String askedTopic, byte @Nullable [] data) {
			try {
				HttpURLConnection connection = (HttpURLConnection) this.registry.toURL().openConnection();
				connection.getResponseCode();
				return (data != null) ? new String(data, StandardCharsets.UTF_8) : null;
			}
			catch (IOException ex) {
				throw new SerializationException("The registry doesn't answer", ex);
			}
		}

	}

	/** Makes payloads of no record before it is repaired. */
	static class Repairs {

		volatile boolean done;

		Order payload(ConsumerRecord<?, ?> each) {
			if (!this.done) {
				throw new PayloadException("Not yet");
			}
			return new Order("1", Long.parseLong(String.valueOf(each.value())));
		}

	}

	/** Counts how often a consumer lost its partitions because it did not poll. */
	static class Losses implements ConsumerAwareRebalanceListener {

		final AtomicInteger count = new AtomicInteger();

		@Override
		public void onPartitionsLost(Collection<TopicPartition> partitions) {
			this.count.incrementAndGet();
		}

	}

}
