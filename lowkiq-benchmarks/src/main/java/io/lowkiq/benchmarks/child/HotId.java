package io.lowkiq.benchmarks.child;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lowkiq.JobRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;

/**
 * Gives one id very many payloads, pushes some more to it one at a time, then performs it
 * while jobs of other shards come every two milliseconds.
 */
final class HotId implements Mode {

	private static final String HOT = "hot";

	private static final int SINGLE = 10_000;

	private static final int WARM_UP = 20_000;

	private static final String WARM = "warm-";

	private static final int BULK = 1_000;

	private static final int MAX_PROBES = 100_000;

	private static final int PROBE_PAYLOAD = -1;

	/**
	 * How many probes come before the hot id is let go: the node's start is not measured.
	 */
	private static final int FIRST_PROBES = 200;

	/** Nothing of the hot id is performed before it is told to be. */
	private static final Duration LATER = Duration.ofHours(1);

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		int total = parameters.jobs() + SINGLE;
		Tally tally = new Tally(total, total);
		Latencies latencies = new Latencies(MAX_PROBES);
		CountDownLatch warming = new CountDownLatch(WARM_UP);
		Application application = new Application(parameters, (id, payloads) -> {
			if (id.startsWith(WARM)) {
				warming.countDown();
			}
			else if (id.equals(HOT)) {
				payloads.forEach((payload) -> tally.see(Integer.parseInt(payload)));
			}
			else {
				latencies.end(Integer.parseInt(id));
			}
		});
		warmUp(application, warming);
		fill(application, parameters.jobs(), output);
		try (RedisClient redis = RedisClient.create(parameters.redisUrl());
				StatefulRedisConnection<String, String> connection = redis.connect()) {
			RedisCommands<String, String> commands = connection.sync();
			commands.configSet("slowlog-log-slower-than", "200");
			commands.slowlogReset();
			pushOneAtATime(application, parameters.jobs(), output);
			perform(application, tally, latencies, total, output);
			output.result("longest_command_ms", longestCommand(commands.slowlogGet(1_000)));
		}
	}

	private static void warmUp(Application application, CountDownLatch warming) throws InterruptedException {
		application.start();
		for (int i = 0; i < WARM_UP; i++) {
			application.client().enqueue(application.queue(0), WARM + i, "");
		}
		warming.await();
		application.stop();
	}

	private static void fill(Application application, int payloads, Output output) {
		output.mark("enqueue");
		long start = System.nanoTime();
		for (int sent = 0; sent < payloads; sent += BULK) {
			List<JobRequest<String>> requests = IntStream.range(sent, Math.min(payloads, sent + BULK))
				.mapToObj((number) -> JobRequest.of(HOT, Integer.toString(number)).performIn(LATER))
				.toList();
			application.client().enqueueAll(application.queue(0), requests);
		}
		output.seconds("enqueue_s", start);
		output.mark("enqueued");
	}

	private static void pushOneAtATime(Application application, int from, Output output) {
		output.mark("hot");
		long start = System.nanoTime();
		for (int number = from; number < from + SINGLE; number++) {
			application.client().enqueue(application.queue(0), HOT, Integer.toString(number));
		}
		output.seconds("hot_s", start);
		output.mark("heated");
		output.result("hot_jobs", SINGLE);
	}

	private static void perform(Application application, Tally tally, Latencies latencies, int total, Output output)
			throws InterruptedException {
		QueueLayout layout = application.redis().queues().find(application.queue(0)).orElseThrow();
		Shard hotShard = layout.shardOf(HOT);
		int[] probes = new Random(1).ints(0, MAX_PROBES)
			.distinct()
			.filter((number) -> !layout.shardOf(Integer.toString(number)).equals(hotShard))
			.limit(MAX_PROBES / 10)
			.toArray();
		application.start();
		int probe = 0;
		for (; probe < FIRST_PROBES; probe++) {
			probe(application, probes[probe], latencies);
		}
		output.mark("process");
		long start = System.nanoTime();
		application.redis().actions().performNow(hotShard, List.of(HOT));
		for (; tally.left() > 0 && probe < probes.length; probe++) {
			probe(application, probes[probe], latencies);
		}
		tally.await();
		output.seconds("process_s", start);
		output.mark("processed");
		output.result("processed", total);
		Pause.millis(500);
		latencies.print(output, Arrays.stream(probes, FIRST_PROBES, probe));
	}

	private static void probe(Application application, int number, Latencies latencies) {
		Pause.millis(2);
		latencies.start(number, System.nanoTime());
		application.client().enqueue(application.queue(0), Integer.toString(number), Integer.toString(PROBE_PAYLOAD));
	}

	/** The third part of an entry is how many microseconds the command took. */
	private static double longestCommand(List<Object> slow) {
		return slow.stream().mapToLong((entry) -> (Long) ((List<?>) entry).get(2)).max().orElse(0) / 1e3;
	}

}
