package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.IntStream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Measures how long the main thread of Redis takes for a call of a script, as Redis
 * counts it. To compare two versions, run them alternately.
 */
public final class ScriptTimes {

	private static final int CALLS = 5_000;

	private static final Shard SHARD = new QueueLayout("orders", 1, 1).shard(0);

	private final LettuceConnectionFactory factory;

	private final RedisStore store;

	private Lease lease = new Lease(SHARD, "nobody", 0);

	private long sequence;

	private ScriptTimes(LettuceConnectionFactory factory) {
		this.factory = factory;
		this.store = new RedisStore(factory, "lowkiq", null);
	}

	/**
	 * Prints the smallest and the median round; a round is the average time of its calls,
	 * in microseconds.
	 */
	public static void main(String[] arguments) {
		int rounds = Integer.parseInt(arguments[0]);
		try (RedisProcess redis = TestRedis.startPrivate()) {
			ScriptTimes times = new ScriptTimes(TestRedis.connectionFactory(redis.url()));
			times.print("enqueue one", rounds, times::enqueueOne);
			times.print("enqueue one more of a queued id", rounds, times::enqueueQueued);
			times.print("enqueue 100", rounds, () -> times.enqueueMany(100));
			times.print("fetch of nothing", rounds, () -> times.fetch(1, 0, 1));
			times.print("done and fetch 1", rounds, () -> times.fetch(1, CALLS, 1));
			times.print("done and fetch 10", rounds, () -> times.fetch(10, CALLS, 1));
			times.print("done and fetch 10 with 2 payloads each", rounds, () -> times.fetch(10, CALLS, 2));
			times.factory.destroy();
		}
		System.exit(0);
	}

	private void print(String what, int rounds, Runnable calls) {
		double[] micros = IntStream.range(0, rounds).mapToDouble((round) -> measured(calls)).sorted().toArray();
		System.out.printf(Locale.ROOT, "%s: min %.1f us, median %.1f us%n", what, micros[0], micros[rounds / 2]);
	}

	private double measured(Runnable calls) {
		try (var connection = this.factory.getConnection()) {
			connection.serverCommands().flushAll();
			this.store.queues().register(SHARD.queue(), 1);
			Acquisition given = this.store.shards().acquire(SHARD, LeaseRequest.forFreeShard("me")).join();
			this.lease = ((Acquisition.Acquired) given).lease();
			this.sequence = 0;
			calls.run();
			Properties stats = connection.serverCommands().info("commandstats");
			return Double.parseDouble(
					String.valueOf(stats).replaceAll("(?s).*cmdstat_evalsha=\\S*?usec_per_call=([0-9.]+).*", "$1"));
		}
	}

	private void resetStatistics() {
		try (var connection = this.factory.getConnection()) {
			connection.serverCommands().resetConfigStats();
		}
	}

	private static NewPayload payload(int id, int payload) {
		byte[] bytes = new byte[100];
		bytes[0] = (byte) payload;
		return NewPayload.of("id-" + id, bytes);
	}

	private void enqueueOne() {
		resetStatistics();
		IntStream.range(0, CALLS).forEach((i) -> this.store.shards().enqueue(SHARD, List.of(payload(i, 0))));
	}

	private void enqueueQueued() {
		enqueueOne();
		resetStatistics();
		IntStream.range(0, CALLS).forEach((i) -> this.store.shards().enqueue(SHARD, List.of(payload(i, 1))));
	}

	private void enqueueMany(int jobs) {
		resetStatistics();
		for (int first = 0; first < CALLS * 10; first += jobs) {
			this.store.shards()
				.enqueue(SHARD, IntStream.range(first, first + jobs).mapToObj((i) -> payload(i, 0)).toList());
		}
	}

	private void fetch(int batch, int queued, int payloads) {
		for (int first = 0; first < queued; first += 1_000) {
			this.store.shards()
				.enqueue(SHARD,
						IntStream.range(first * payloads, (first + 1_000) * payloads)
							.mapToObj((i) -> payload(i / payloads, i % payloads))
							.toList());
		}
		resetStatistics();
		List<Outcome> outcomes = List.of();
		for (int call = 0; call < CALLS / batch; call++) {
			FetchResult result = this.store.shards()
				.completeAndFetch(this.lease, ++this.sequence, outcomes.size(), outcomes, new Fetch(batch, 100, true))
				.join();
			List<FetchedJob> jobs = ((FetchResult.Fetched) result).jobs();
			if (jobs.size() != Math.min(batch, queued)) {
				throw new IllegalStateException("Fetched " + jobs.size());
			}
			outcomes = jobs.stream().<Outcome>map((job) -> new Outcome.Done(job.id())).toList();
		}
	}

}
