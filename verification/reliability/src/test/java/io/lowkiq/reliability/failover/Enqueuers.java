package io.lowkiq.reliability.failover;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ReplicaWait;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Threads that enqueue one job at a time, each with an id of its own, until so many are
 * acknowledged: their enqueue has returned. One that throws isn't repeated. Nobody
 * performs them.
 */
final class Enqueuers implements AutoCloseable {

	private static final String QUEUE = "orders";

	private static final int SHARDS = 4;

	private static final int THREADS = 8;

	private static final int JOBS_PER_SECOND = 5_000;

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private final int jobs;

	private final int waitForReplicas;

	private final List<Thread> threads;

	/**
	 * From the start of an enqueue to that of the thread's next one, if there is time.
	 */
	private final Duration period;

	private final Semaphore missing;

	private final AtomicInteger nextId = new AtomicInteger();

	private final AtomicInteger refused = new AtomicInteger();

	private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

	/** What the first half of the jobs took, before the failure. */
	private final long[] nanos;

	private final AtomicInteger measured = new AtomicInteger();

	private double perSecond;

	private volatile Target target;

	/** One Redis, as clients see it. */
	private record Target(LettuceConnectionFactory connections, RedisStore store, LowkiqClient client) {

		private void close() {
			this.store.close();
			this.connections.destroy();
		}

	}

	Enqueuers(RedisProcess redis, int jobs, int waitForReplicas) {
		this.jobs = jobs;
		this.period = Duration.ofSeconds(1).multipliedBy(THREADS).dividedBy(JOBS_PER_SECOND);
		this.missing = new Semaphore(jobs);
		this.nanos = new long[jobs / 2];
		this.waitForReplicas = waitForReplicas;
		this.target = connect(redis);
		Awaitility.await()
			.ignoreExceptions()
			.until(() -> this.target.store().queues().register(QUEUE, SHARDS).shards() == SHARDS);
		this.threads = IntStream.range(0, THREADS).mapToObj((i) -> new Thread(this::enqueue, "enqueuer-" + i)).toList();
	}

	private Target connect(RedisProcess redis) {
		LettuceConnectionFactory connections = TestRedis.connectionFactory(
				new RedisStandaloneConfiguration(redis.host(), redis.port()),
				(client) -> client.commandTimeout(Duration.ofSeconds(3)));
		@Nullable ReplicaWait wait = (this.waitForReplicas > 0) ? new ReplicaWait(this.waitForReplicas, Duration.ofSeconds(1))
				: null;
		RedisStore store = new RedisStore(connections, "lowkiq", null, wait);
		PayloadWorker<String> worker = (id, payload) -> {
		};
		WorkerRegistry workers = new WorkerRegistry(List.of(new RegisteredWorker(QUEUE, PayloadWorker.class,
				String.class, new RegisteredWorker.Settings(SHARDS, 1, 25, 100, 1, 0), () -> worker)));
		return new Target(connections, store, new ShardedLowkiqClient(workers, store.shards(), store.queues(),
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE));
	}

	/** Starts them, and returns when half of the jobs are acknowledged. */
	void startAndAwaitHalf() {
		long begin = System.nanoTime();
		this.threads.forEach(Thread::start);
		Awaitility.await()
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.measured.get() >= this.nanos.length);
		this.perSecond = this.nanos.length * 1e9 / (System.nanoTime() - begin);
	}

	private void enqueue() {
		long next = System.nanoTime();
		while (this.missing.tryAcquire()) {
			String id = Integer.toString(this.nextId.getAndIncrement());
			long begin = System.nanoTime();
			try {
				this.target.client().enqueue(QUEUE, id, "a payload of about thirty bytes");
				long took = System.nanoTime() - begin;
				this.acknowledged.add(id);
				int position = this.measured.getAndIncrement();
				if (position < this.nanos.length) {
					this.nanos[position] = took;
				}
			}
			catch (RuntimeException ex) {
				this.missing.release();
				this.refused.incrementAndGet();
			}
			next = Math.max(next + this.period.toNanos(), System.nanoTime());
			LockSupport.parkNanos(next - System.nanoTime());
		}
	}

	/** Clients go on with another Redis. */
	void goOnWith(RedisProcess redis) {
		Target before = this.target;
		this.target = connect(redis);
		before.close();
	}

	void awaitAll() {
		Awaitility.await().atMost(PATIENCE).until(() -> this.acknowledged.size() == this.jobs);
	}

	/** How many were acknowledged before the failure. */
	double perSecond() {
		return this.perSecond;
	}

	int acknowledged() {
		return this.acknowledged.size();
	}

	int refused() {
		return this.refused.get();
	}

	/** How many of the acknowledged ids are in no shard. */
	int lost() {
		Set<String> lost = new HashSet<>(this.acknowledged);
		RedisStore store = this.target.store();
		JobQuery queued = new JobQuery(JobQuery.JobList.QUEUED, false, null, null, 1_000, 0);
		store.queues()
			.find(QUEUE)
			.orElseThrow()
			.allShards()
			.forEach((shard) -> store.inspection().listAll(shard, queued).forEach((job) -> lost.remove(job.id())));
		return lost.size();
	}

	/** What an enqueue took before the failure, without the first fifth. */
	double millis(double quantile) {
		long[] sorted = Arrays.copyOfRange(this.nanos, this.nanos.length / 5, this.nanos.length);
		Arrays.sort(sorted);
		return sorted[(int) (quantile * (sorted.length - 1))] / 1e6;
	}

	@Override
	public void close() {
		this.missing.drainPermits();
		this.threads.forEach(Thread::interrupt);
		this.target.close();
	}

}
