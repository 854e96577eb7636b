package io.lowkiq.reliability.chain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lettuce.core.cluster.SlotHash;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Measures the time from a run to the run of what follows it, in a calm queue beside a
 * hot one, and in a cluster of which one master hangs.
 */
public final class FollowUpLatency {

	private static final String PREFIX = "lowkiq";

	private static final int THREADS = 20;

	/** How many follow-ups each job of the hot queue has. */
	private static final int FOLLOW_UPS = 100;

	private static final int CALM_SHARDS = 12;

	private final RedisStore store;

	private final int hotShards;

	private final int seconds;

	private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();

	private final AtomicLong hot = new AtomicLong();

	private final ShardedLowkiqClient client;

	private final ThreadPerformContext context;

	private FollowUpLatency(LettuceConnectionFactory factory, int hotShards, int seconds) {
		this.store = new RedisStore(factory, PREFIX, null);
		this.hotShards = hotShards;
		this.seconds = seconds;
		this.context = new ThreadPerformContext(this::keeping);
		this.client = new ShardedLowkiqClient(workers(), this.store.shards(), this.store.queues(),
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
	}

	/**
	 * Measures and prints.
	 * @param arguments {@code hot}, the number of shards that hot follow-ups go to, how
	 * many of them a second, and the seconds; or {@code cluster}, and the seconds for
	 * which a master hangs
	 */
	public static void main(String[] arguments) {
		if (arguments[0].equals("hot")) {
			try (RedisProcess redis = TestRedis.startPrivate()) {
				new FollowUpLatency(TestRedis.connectionFactory(redis.url()), Integer.parseInt(arguments[1]),
						Integer.parseInt(arguments[3]))
					.besideHotQueue(Integer.parseInt(arguments[2]));
			}
		}
		else {
			try (RedisClusterProcess cluster = RedisClusterProcess.start("--cluster-require-full-coverage", "no")) {
				new FollowUpLatency(cluster.connectionFactory(), 1, Integer.parseInt(arguments[1]))
					.whileMasterHangs(cluster);
			}
		}
		System.exit(0);
	}

	private void besideHotQueue(int rate) {
		LowkiqServer server = start();
		long begin = System.nanoTime();
		long before = this.hot.get();
		long maxWaiting = 0;
		int enqueued = 0;
		for (int tick = 0; tick < this.seconds * 10; tick++) {
			LockSupport.parkNanos(begin + tick * 100_000_000L - System.nanoTime());
			int until = (int) ((long) rate * (tick + 1) / FOLLOW_UPS / 10);
			this.client.enqueueAll("hot-source",
					IntStream.range(enqueued, until).mapToObj((i) -> JobRequest.of("hot" + i, (long) i)).toList());
			enqueued = until;
			if (tick % 10 == 0) {
				this.client.enqueue("calm-source", "calm" + tick, 0L);
			}
			maxWaiting = Math.max(maxWaiting, waiting("hot-source"));
		}
		double took = (System.nanoTime() - begin) / 1e9;
		long hotRuns = this.hot.get() - before;
		await(this.seconds);
		System.out.printf(
				"Hot follow-ups into %d shards: asked for %d/s, %.0f/s in their queue; at most %d waited. Calm: %s%n",
				this.hotShards, rate, hotRuns / took, maxWaiting, percentiles());
		server.stop(Duration.ofSeconds(5));
	}

	private void whileMasterHangs(RedisClusterProcess cluster) {
		LowkiqServer server = start();
		RedisProcess hanging = withoutRegistry(cluster);
		List<String> healthy = new ArrayList<>();
		List<String> blocked = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			String id = "calm" + i;
			if (master(cluster, "calm-source", id) != hanging) {
				((master(cluster, "calm-target", id) != hanging) ? healthy : blocked).add(id);
			}
		}
		for (int i = 0; i < 20; i++) {
			this.client.enqueue("calm-source", healthy.get(i), 0L);
		}
		await(20);
		this.nanos.clear();
		hanging.pause();
		long end = System.nanoTime() + Duration.ofSeconds(this.seconds).toNanos();
		int sent = 0;
		int sentBlocked = 0;
		while (System.nanoTime() < end && sent < healthy.size()) {
			this.client.enqueue("calm-source", healthy.get(sent++), 0L);
			if (sent % 2 == 0 && sentBlocked < blocked.size()) {
				this.client.enqueue("calm-source", blocked.get(sentBlocked++), 0L);
			}
			LockSupport.parkNanos(100_000_000);
		}
		long early = this.nanos.size();
		String meanwhile = percentiles();
		hanging.resume();
		await(sent + sentBlocked);
		System.out.printf(
				"One of three masters hangs for %d s: %d of %d follow-ups between healthy shards ran meanwhile, %s; %d for the hanging one came later%n",
				this.seconds, early, sent, meanwhile, sentBlocked);
		server.stop(Duration.ofSeconds(5));
	}

	/** What the nodes need to know of each other is on the others. */
	private static RedisProcess withoutRegistry(RedisClusterProcess cluster) {
		Set<RedisProcess> needed = Stream.of("queues", "nodes")
			.map((key) -> cluster.masterOf(SlotHash.getSlot(key)))
			.collect(Collectors.toSet());
		return cluster.masters().stream().filter((master) -> !needed.contains(master)).findFirst().orElseThrow();
	}

	private RedisProcess master(RedisClusterProcess cluster, String queue, String id) {
		QueueLayout layout = this.store.queues().find(queue).orElseThrow();
		return cluster.masterOf(SlotHash.getSlot(layout.shardOf(id).toString()));
	}

	private LowkiqServer start() {
		LowkiqServer server = new LowkiqServer(new ServerOptions(workers(), this.store)
			.settings(new ServerSettings(THREADS, Duration.ofSeconds(1), Duration.ofSeconds(15), 100, false))
			.performContext(this.context));
		server.registerQueues();
		server.start();
		return server;
	}

	private LowkiqClient keeping(BiConsumer<String, List<NewPayload>> keep) {
		return this.client.keeping(keep);
	}

	private WorkerRegistry workers() {
		PayloadWorker<Long> hotSource = (id, number) -> this.context.onSuccess()
			.enqueueAll("hot-target",
					IntStream.range(0, FOLLOW_UPS).mapToObj((i) -> JobRequest.of(number + "-" + i, number)).toList());
		PayloadWorker<Long> hotTarget = (id, payload) -> this.hot.incrementAndGet();
		PayloadWorker<Long> calmSource = (id, payload) -> this.context.onSuccess()
			.enqueue("calm-target", id, System.nanoTime());
		PayloadWorker<Long> calmTarget = (id, began) -> this.nanos.add(System.nanoTime() - began);
		return new WorkerRegistry(Stream
			.of(worker("hot-source", 1, hotSource), worker("hot-target", this.hotShards, hotTarget),
					worker("calm-source", CALM_SHARDS, calmSource), worker("calm-target", CALM_SHARDS, calmTarget))
			.toList());
	}

	private static RegisteredWorker worker(String queue, int shards, PayloadWorker<Long> worker) {
		return new RegisteredWorker(queue, PayloadWorker.class, Long.class,
				new RegisteredWorker.Settings(shards, 1, 25, 100, 1, 0), () -> worker);
	}

	private long waiting(String queue) {
		return this.store.queues()
			.find(queue)
			.orElseThrow()
			.allShards()
			.stream()
			.map(this.store.inspection()::counts)
			.mapToLong(ShardCounts::followUps)
			.sum();
	}

	private void await(int runs) {
		while (this.nanos.size() < runs) {
			LockSupport.parkNanos(10_000_000);
		}
	}

	private String percentiles() {
		long[] sorted = this.nanos.stream().mapToLong(Long::longValue).sorted().toArray();
		return "%d runs, p50 %.1f ms, p99 %.1f ms, max %.1f ms".formatted(sorted.length,
				sorted[sorted.length / 2] / 1e6, sorted[sorted.length * 99 / 100] / 1e6,
				sorted[sorted.length - 1] / 1e6);
	}

}
