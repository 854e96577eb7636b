package io.lowkiq.reliability.chaos;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Builds of an application that can't read all of each other's payloads, side by side
 * during rolling deploys and a rollback under load.
 */
@Tag("long")
class MixedVersionIntegrationTests {

	private static final String QUEUE = "orders";

	private static final int SHARDS = 12;

	private static final int NODES = 3;

	private static final int IDS = 500;

	/** How many payloads are enqueued after each node that is replaced. */
	private static final int PAYLOADS = Integer.getInteger("chaos.deploy-payloads", 200);

	private static final long PACE = 1_000_000;

	private static final Duration LONG = Duration.ofSeconds(90);

	private final Worker<Order> worker = this::perform;

	private final String prefix = TestRedis.uniquePrefix();

	/** The payloads of each id in the order of their performs; written by workers. */
	private final Map<String, List<Long>> performed = new ConcurrentHashMap<>();

	/** Written by workers. */
	private final LongAdder performs = new LongAdder();

	/** How many performs were retries; written by workers. */
	private final LongAdder retries = new LongAdder();

	/** The payloads of each id as they were enqueued; written by the load only. */
	private final Map<String, List<Long>> enqueued = new ConcurrentHashMap<>();

	/** Written by the load only. */
	private final AtomicLong enqueues = new AtomicLong();

	/** Written by the test, read by the load. */
	private final List<Node> nodes = new CopyOnWriteArrayList<>();

	/** Written by the test, read by the load. */
	private volatile boolean stopped;

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private RedisStore store;

	private sealed interface Order {

		long number();

	}

	private enum FirstKind {

		PLACED, PAID

	}

	/** As the first build has it. */
	private record FirstOrder(long number, FirstKind kind, FirstPayment payment) implements Order {

		static Order of(long number) {
			return new FirstOrder(number, (number % 2 == 0) ? FirstKind.PLACED : FirstKind.PAID, new FirstCard(4));
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
	@JsonSubTypes(@JsonSubTypes.Type(value = FirstCard.class, name = "card"))
	private interface FirstPayment {

	}

	private record FirstCard(int digits) implements FirstPayment {
	}

	private enum Kind {

		PLACED, PAID, REFUNDED

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Card.class, name = "card"),
			@JsonSubTypes.Type(value = Voucher.class, name = "voucher") })
	private interface Payment {

	}

	private record Card(int digits) implements Payment {
	}

	private record Voucher(String code) implements Payment {
	}

	/**
	 * The second build adds a constant, a subtype and a field that it requires. It can't
	 * read what lacks the field.
	 */
	private record SecondOrder(long number, Kind kind, Payment payment,
			@JsonProperty(required = true) int discount) implements Order {

		static Order of(long number) {
			Kind[] kinds = Kind.values();
			return new SecondOrder(number, kinds[(int) (number % kinds.length)],
					(number % 5 == 0) ? new Voucher("free") : new Card(4), 10);
		}

	}

	/** The third build reads everything. */
	private record ThirdOrder(long number, Kind kind, Payment payment, @Nullable Integer discount) implements Order {

		static Order of(long number) {
			return new ThirdOrder(number, Kind.REFUNDED, new Voucher("free"), null);
		}

	}

	/** A version of the application. */
	private enum Build {

		FIRST(FirstOrder.class, FirstOrder::of), SECOND(SecondOrder.class, SecondOrder::of),
		THIRD(ThirdOrder.class, ThirdOrder::of);

		private final Class<? extends Order> type;

		private final LongFunction<Order> make;

		Build(Class<? extends Order> type, LongFunction<Order> make) {
			this.type = type;
			this.make = make;
		}

	}

	/** One node, and the client beside it. */
	private static final class Node implements PayloadCodec {

		private final Build build;

		private final PayloadCodec codec = new JacksonPayloadCodec();

		/** Written by performing threads. */
		private final LongAdder read = new LongAdder();

		/** Written by performing threads. */
		private final LongAdder refused = new LongAdder();

		private final LowkiqServer server;

		private final LowkiqClient client;

		Node(Build build, Worker<Order> worker, RedisStore store, LongAdder retries) {
			this.build = build;
			WorkerRegistry workers = new WorkerRegistry(List.of(new RegisteredWorker(QUEUE, Worker.class, build.type,
					new RegisteredWorker.Settings(SHARDS, 1, 25, 1_000, 1, 0), () -> worker)));
			this.server = new LowkiqServer(new ServerOptions(workers, store)
				.settings(new ServerSettings(3, Duration.ofSeconds(1), Duration.ofSeconds(10), 100, false))
				.codec(this)
				.interceptors(List.of((call, chain) -> {
					call.jobs().stream().filter((job) -> job.retryCount() >= 0).forEach((job) -> retries.increment());
					chain.proceed();
				})));
			this.client = new ShardedLowkiqClient(workers, store.shards(), store.queues(), this, List.of(),
					LowkiqObserver.NONE);
			this.server.start();
		}

		@Override
		public byte[] encode(Object payload, Type type) {
			return this.codec.encode(payload, type);
		}

		@Override
		public Object decode(byte[] bytes, Type type) {
			try {
				return this.codec.decode(bytes, type);
			}
			catch (PayloadException ex) {
				this.refused.increment();
				throw ex;
			}
			finally {
				this.read.increment();
			}
		}

	}

	@BeforeEach
	void startRedis() {
		// What can't be read is logged, each time
		((Logger) LoggerFactory.getLogger("io.lowkiq.engine.perform")).setLevel(Level.ERROR);
		this.redis = TestRedis.startPrivate();
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.store = new RedisStore(this.factory, this.prefix, null);
	}

	@AfterEach
	void stopAll() {
		this.stopped = true;
		this.nodes.forEach((node) -> node.server.stop(Duration.ZERO));
		TestRedis.destroy(this.factory);
		this.redis.close();
	}

	private void perform(String id, List<Order> orders) {
		List<Long> ofId = this.performed.computeIfAbsent(id, (key) -> Collections.synchronizedList(new ArrayList<>()));
		orders.forEach((order) -> ofId.add(order.number()));
		this.performs.add(orders.size());
	}

	private Node start(Build build) {
		Node node = new Node(build, this.worker, this.store, this.retries);
		this.nodes.add(node);
		return node;
	}

	/** Each living node enqueues, too. */
	private void enqueue() {
		Random random = new Random(18);
		while (!this.stopped) {
			Node node = this.nodes.get(random.nextInt(this.nodes.size()));
			String id = "order-" + random.nextInt(IDS);
			long number = this.enqueues.get() + 1;
			this.enqueued.computeIfAbsent(id, (key) -> new ArrayList<>()).add(number);
			node.client.enqueue(QUEUE, id, node.build.make.apply(number));
			this.enqueues.set(number);
			LockSupport.parkNanos(PACE);
		}
	}

	/** Returns how many payloads the nodes that were replaced could not read. */
	private long deploy(Build build) {
		long refused = 0;
		for (Node old : List.copyOf(this.nodes)) {
			Node fresh = start(build);
			Awaitility.await().atMost(LONG).until(() -> fresh.read.sum() > 0);
			this.nodes.remove(old);
			assertThat(old.server.stop(Duration.ofSeconds(20))).isTrue();
			refused += old.refused.sum();
			long before = this.enqueues.get();
			Awaitility.await().atMost(LONG).until(() -> this.enqueues.get() >= before + PAYLOADS);
		}
		return refused;
	}

	@Test
	void threeDeploysAndARollbackLoseNothingAndCostNoRetry() throws InterruptedException, ExecutionException {
		for (int i = 0; i < NODES; i++) {
			start(Build.FIRST);
		}
		ExecutorService load = Executors.newSingleThreadExecutor();
		Future<?> loaded = load.submit(this::enqueue);
		try {
			deploy(Build.SECOND);
			long refusedBySecond = deploy(Build.FIRST);
			long refusedByFirst = deploy(Build.SECOND);
			deploy(Build.THIRD);
			this.stopped = true;
			loaded.get();
			Awaitility.await().atMost(LONG).until(() -> this.performs.sum() >= this.enqueues.get());
			System.out.printf("Three deploys and a rollback: %d payloads; the first build could not read %d, "
					+ "the second %d%n", this.enqueues.get(), refusedByFirst, refusedBySecond);
			assertThat(refusedByFirst).isPositive();
			assertThat(refusedBySecond).isPositive();
		}
		finally {
			this.stopped = true;
			load.shutdown();
		}
		QueueLayout queue = this.store.queues().find(QUEUE).orElseThrow();
		assertThat(this.store.inspection().counts(queue.allShards())).extracting(ShardCounts::dead).containsOnly(0L);
		assertThat(this.store.inspection().counts(queue.allShards())).extracting(ShardCounts::failed).containsOnly(0L);
		assertThat(this.retries.sum()).isZero();
		assertThat(this.performed).isEqualTo(this.enqueued);
	}

}
