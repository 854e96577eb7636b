package io.lowkiq.reliability.kafka;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.kafka.KafkaSource;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Measures how many records of a topic are performed in a second, ordered by key, by a
 * Kafka source and by the parallel consumer. Both run in this process with as many
 * threads, and begin with a topic that is full. They take turns.
 */
public final class KafkaComparison {

	private static final int PARTITIONS = 4;

	private static final int KEYS = 1_000;

	private static final int THREADS = 16;

	private KafkaComparison() {
	}

	/**
	 * Measures and prints.
	 * @param arguments the number of records without work, of those with 5 ms of work,
	 * and of rounds
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
		int[] records = { Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]) };
		int rounds = Integer.parseInt(arguments[2]);
		Duration[] work = { Duration.ZERO, Duration.ofMillis(5) };
		Path directory = Files.createTempDirectory("lowkiq-kafka");
		int port = freePort();
		ProgramProcess broker = new ProgramProcess("broker", BrokerProgram.class, directory,
				List.of(directory.toString(), Integer.toString(port), Integer.toString(freePort())));
		String address = "localhost:" + port;
		try (RedisProcess redis = TestRedis.startPrivate();
				Admin admin = Admin.create(Map.of("bootstrap.servers", address, "default.api.timeout.ms", 120_000))) {
			for (int kind = 0; kind < work.length; kind++) {
				String topic = "records-" + kind;
				admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
				fill(address, topic, records[kind]);
				double[][] rates = new double[2][rounds];
				for (int round = -1; round < rounds; round++) {
					double source = runSource(address, redis, topic, records[kind], work[kind]);
					double parallel = runParallelConsumer(address, topic, records[kind], work[kind]);
					System.out.printf(Locale.ROOT, "%s of work: Lowkiq %.0f/s, parallel consumer %.0f/s%n", work[kind],
							source, parallel);
					if (round >= 0) {
						rates[0][round] = source;
						rates[1][round] = parallel;
					}
				}
				System.out.printf(
						"MEDIAN of %d rounds, %d records, %s of work: Lowkiq %.0f/s, parallel consumer %.0f/s%n",
						rounds, records[kind], work[kind], median(rates[0]), median(rates[1]));
			}
		}
		finally {
			broker.kill();
		}
		System.exit(0);
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static void fill(String address, String topic, int records) {
		try (KafkaProducer<String, String> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", address, "linger.ms", 20, "enable.idempotence", false),
				new StringSerializer(), new StringSerializer())) {
			for (int i = 0; i < records; i++) {
				producer.send(new ProducerRecord<>(topic, Integer.toString(i % KEYS),
						"{\"version\":%d}".formatted(i / KEYS + 1)));
			}
		}
	}

	private static double runSource(String address, RedisProcess redis, String topic, int records, Duration work)
			throws InterruptedException {
		Counter counter = new Counter(records);
		SpringApplication application = new SpringApplication(Settings.class);
		application.setDefaultProperties(Map.of("spring.kafka.bootstrap-servers", address, "spring.data.redis.url",
				redis.url(), "lowkiq.key-prefix", "comparison-" + UUID.randomUUID(), "lowkiq.server.threads", THREADS,
				"comparison.topic", topic));
		application.addInitializers((context) -> {
			context.getBeanFactory().registerSingleton("counter", counter);
			context.getBeanFactory().registerSingleton("work", work);
		});
		ConfigurableApplicationContext context = application.run();
		try {
			return counter.awaitRate();
		}
		finally {
			context.close();
		}
	}

	private static double runParallelConsumer(String address, String topic, int records, Duration work)
			throws InterruptedException {
		Counter counter = new Counter(records);
		KafkaConsumer<String, String> consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", address, "group.id",
				UUID.randomUUID().toString(), "auto.offset.reset", "earliest", "enable.auto.commit", false),
				new StringDeserializer(), new StringDeserializer());
		ParallelStreamProcessor<String, String> processor = ParallelStreamProcessor
			.createEosStreamProcessor(ParallelConsumerOptions.<String, String>builder()
				.ordering(ParallelConsumerOptions.ProcessingOrder.KEY)
				.maxConcurrency(THREADS)
				.consumer(consumer)
				.build());
		processor.subscribe(List.of(topic));
		JsonMapper json = JsonMapper.shared();
		processor.poll((context) -> {
			json.readValue(context.getSingleConsumerRecord().value(), KeyChange.class);
			work(work);
			counter.count(1);
		});
		double rate = counter.awaitRate();
		processor.close();
		return rate;
	}

	private static void work(Duration work) {
		if (!work.isZero()) {
			LockSupport.parkNanos(work.toNanos());
		}
	}

	private static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

	/** Counts records from the first to the last. Thread-safe. */
	static final class Counter {

		private final int records;

		private final AtomicInteger count = new AtomicInteger();

		private final CountDownLatch done = new CountDownLatch(1);

		/** Written by the first thread that counts, read when all have. */
		private volatile long begin;

		Counter(int records) {
			this.records = records;
		}

		void count(int more) {
			int now = this.count.addAndGet(more);
			if (now == more) {
				this.begin = System.nanoTime();
			}
			if (now >= this.records) {
				this.done.countDown();
			}
		}

		double awaitRate() throws InterruptedException {
			this.done.await();
			return this.records / ((System.nanoTime() - this.begin) / 1e9);
		}

	}

	/** An application with a source and its worker. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Settings {

		@Bean
		KafkaSource changes(@Value("${comparison.topic}") String topic) {
			return KafkaSource.of("keys", topic);
		}

		@Bean
		@LowkiqWorker("keys")
		Worker<KeyChange> worker(Counter counter, Duration work) {
			return (id, changes) -> {
				changes.forEach((change) -> work(work));
				counter.count(changes.size());
			};
		}

	}

}
