package io.lowkiq.reliability.kafka;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications enqueue the records of a topic. They and the broker are killed again
 * and again, while this process sends records and performs the jobs. Every record is
 * performed, those of a key in the order of their offsets, and few of them again.
 * <p>
 * More records: {@code -Dkafka.records=1000000 -Dkafka.keys=10000}.
 */
class KafkaIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(3);

	private static final int CONSUMERS = 2;

	private static final int PARTITIONS = 4;

	private static final String PROBE = "probe";

	private final int records = Integer.getInteger("kafka.records", 20_000);

	private final int keys = Integer.getInteger("kafka.keys", 200);

	private final Random random = new Random();

	/** By key: the versions that were delivered, one list for each perform. */
	private final Map<String, List<List<Long>>> performs = new ConcurrentHashMap<>();

	private final AtomicLong performed = new AtomicLong();

	private final Worker<KeyChange> worker = (id, changes) -> {
		if (id.equals(PROBE)) {
			return;
		}
		this.performs.computeIfAbsent(id, (key) -> new CopyOnWriteArrayList<>())
			.add(changes.stream().map(KeyChange::version).toList());
		this.performed.addAndGet(changes.size());
	};

	/** Few payloads at a time, so that what comes again meets halves of what was. */
	private final WorkerRegistry workers = new WorkerRegistry(List.of(new RegisteredWorker(ConsumerProgram.QUEUE,
			Worker.class, KeyChange.class, new RegisteredWorker.Settings(4, 1, 25, 20, 1, 0), () -> this.worker)));

	/** How many records may be sent: a part for each harm, so that each meets some. */
	private final Semaphore sendable = new Semaphore(0);

	private final String prefix = TestRedis.uniquePrefix();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	private int port;

	private int controllerPort;

	private @Nullable ProgramProcess broker;

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private LowkiqServer server;

	private KafkaProducer<String, String> producer;

	private final List<ProgramProcess> consumers = new ArrayList<>();

	private int started;

	@BeforeEach
	void start() throws IOException {
		try (ServerSocket one = new ServerSocket(0); ServerSocket other = new ServerSocket(0)) {
			this.port = one.getLocalPort();
			this.controllerPort = other.getLocalPort();
		}
		this.redis = TestRedis.startPrivate();
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.server = new LowkiqServer(
				new ServerOptions(this.workers, new RedisStore(this.factory, this.prefix, null)));
		this.server.registerQueues();
		this.server.start();
		startBroker();
		createTopic();
		this.producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", address(), "delivery.timeout.ms", 600_000, "max.block.ms", 600_000),
				new StringSerializer(), new StringSerializer());
	}

	@AfterEach
	void stop() {
		this.consumers.forEach(ProgramProcess::kill);
		this.producer.close(Duration.ZERO);
		if (this.broker != null) {
			this.broker.kill();
		}
		this.server.stop(Duration.ofSeconds(5));
		this.factory.destroy();
		this.redis.close();
	}

	@Test
	void killedConsumersAndAKilledBrokerLoseNoRecord() {
		int harms = Math.max(6, this.records / 25_000);
		Thread sending = new Thread(this::send, "sending");
		sending.start();
		for (int i = 0; i < CONSUMERS; i++) {
			this.consumers.add(startConsumer());
		}
		long begin = System.nanoTime();
		for (int harm = 0; harm < harms; harm++) {
			this.sendable.release(this.records / harms);
			awaitPerformed((long) ((harm + this.random.nextDouble()) * (this.records / harms)));
			if (harm % 3 == 2) {
				this.broker.kill();
				LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(50, 1_500)).toNanos());
				startBroker();
			}
			else {
				int victim = this.random.nextInt(CONSUMERS);
				this.consumers.get(victim).kill();
				this.consumers.set(victim, startConsumer());
			}
		}
		this.sendable.release(this.records % harms);
		Awaitility.await("all records are performed")
			.atMost(LONG.multipliedBy(2))
			.until(() -> this.performed.get() >= this.records && missing() == 0);
		double seconds = (System.nanoTime() - begin) / 1e9;
		long again = this.performed.get() - this.records;
		System.out.printf(Locale.ROOT, "Kafka: %d records of %d keys in %.0f s, %d kills, %d of them of the broker; "
				+ "0 lost, %d performed again%n", this.records, this.keys, seconds, harms, harms / 3, again);
		check();
		// Each harm, and on a busy machine each further rebalance, repeats what was not
		// committed: far less than if nothing were ever committed
		assertThat(again).isLessThan(this.records / 2);
	}

	private void send() {
		for (int i = 0; i < this.records; i++) {
			this.sendable.acquireUninterruptibly();
			this.producer.send(new ProducerRecord<>(ConsumerProgram.TOPIC, Integer.toString(i % this.keys),
					"{\"version\":%d}".formatted(i / this.keys + 1)));
		}
		this.producer.flush();
	}

	private void awaitPerformed(long count) {
		Awaitility.await("records are performed")
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(2))
			.atMost(LONG)
			.until(() -> this.performed.get() >= count || !this.consumers.stream().allMatch(ProgramProcess::isAlive));
		assertThat(this.consumers).allMatch(ProgramProcess::isAlive);
	}

	private long missing() {
		long missing = this.records;
		for (List<List<Long>> deliveries : this.performs.values()) {
			Set<Long> versions = new HashSet<>();
			deliveries.forEach(versions::addAll);
			missing -= versions.size();
		}
		return missing;
	}

	private void check() {
		for (int key = 0; key < this.keys; key++) {
			List<List<Long>> deliveries = this.performs.get(Integer.toString(key));
			assertThat(deliveries).as("deliveries of key %d", key)
				.allSatisfy((delivery) -> assertThat(delivery).isSorted().doesNotHaveDuplicates());
			long next = 1;
			for (List<Long> delivery : deliveries) {
				for (long version : delivery) {
					assertThat(version).as("next version of key %d", key).isLessThanOrEqualTo(next);
					next = Math.max(next, version + 1);
				}
			}
			assertThat(next - 1).as("versions of key %d", key)
				.isEqualTo(this.records / this.keys + ((key < this.records % this.keys) ? 1 : 0));
		}
	}

	private String address() {
		return "localhost:" + this.port;
	}

	private void startBroker() {
		this.started++;
		this.broker = new ProgramProcess("broker-" + this.started, BrokerProgram.class, this.directory,
				List.of(this.directory.resolve("kafka").toString(), Integer.toString(this.port),
						Integer.toString(this.controllerPort)));
	}

	private void createTopic() {
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", address(), "default.api.timeout.ms", 120_000))) {
			admin.createTopics(List.of(new NewTopic(ConsumerProgram.TOPIC, PARTITIONS, (short) 1))).all().get();
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		// An idempotent producer stumbles over partitions that were created a moment ago
		try (KafkaProducer<String, String> probe = new KafkaProducer<>(
				Map.of("bootstrap.servers", address(), "enable.idempotence", false), new StringSerializer(),
				new StringSerializer())) {
			for (int partition = 0; partition < PARTITIONS; partition++) {
				probe.send(new ProducerRecord<>(ConsumerProgram.TOPIC, partition, PROBE, "{\"version\":0}")).get();
			}
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private ProgramProcess startConsumer() {
		this.started++;
		return new ProgramProcess("consumer-" + this.started, ConsumerProgram.class, this.directory,
				List.of(address(), this.redis.url(), this.prefix));
	}

}
