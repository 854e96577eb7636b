package io.lowkiq.benchmarks.child;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lowkiq.JobRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;

/**
 * Gives one id very many payloads, pushes some more to it one a call from several
 * threads, then performs it while jobs of other shards come every two milliseconds.
 */
final class HotId implements Mode {

	private static final String HOT = "hot";

	private static final int SINGLE = 10_000;

	private static final int PRODUCERS = 8;

	private static final int BULK = 1_000;

	private static final int MAX_PROBES = 100_000;

	private static final int PROBE_PAYLOAD = -1;

	/**
	 * How many probes come before the hot id is let go: the node's start is not measured.
	 */
	private static final int FIRST_PROBES = 200;

	/** Nothing of the hot id is performed before the benchmark says so. */
	private static final Duration LATER = Duration.ofHours(1);

	/* Written by the main thread while no job is queued, read by the shard threads. */
	private final AtomicReference<Round> round = new AtomicReference<>(new Round(0));

	@Override
	public void run(Parameters parameters, Output output) throws Exception {
		Application application = new Application(parameters, this::handle);
		try (RedisClient redis = RedisClient.create(parameters.redisUrl());
				StatefulRedisConnection<String, String> connection = redis.connect()) {
			RedisCommands<String, String> commands = connection.sync();
			commands.configSet("slowlog-log-slower-than", "200");
			for (int warmUp = parameters.number("warm-up", 0); warmUp > 0; warmUp--) {
				heatAndPerform(application, commands, parameters.jobs(), Output.NONE);
			}
			heatAndPerform(application, commands, parameters.jobs(), output);
		}
	}

	private void heatAndPerform(Application application, RedisCommands<String, String> redis, int jobs, Output output)
			throws Exception {
		Round begun = new Round(jobs + SINGLE);
		this.round.set(begun);
		fill(application, jobs, output);
		redis.slowlogReset();
		pushOneAtATime(application, jobs, output);
		perform(application, begun, output);
		output.result("longest_command_ms", longestCommand(redis.slowlogGet(1_000)));
		application.stop();
	}

	private void handle(String id, List<String> payloads) {
		Round current = this.round.get();
		if (id.equals(HOT)) {
			payloads.forEach((payload) -> current.tally().see(Integer.parseInt(payload)));
		}
		else {
			current.latencies().end(Integer.parseInt(id));
		}
	}

	private static void fill(Application application, int payloads, Output output) {
		long start = output.begin("enqueue");
		for (int sent = 0; sent < payloads; sent += BULK) {
			List<JobRequest<String>> requests = IntStream.range(sent, Math.min(payloads, sent + BULK))
				.mapToObj((number) -> JobRequest.of(HOT, Integer.toString(number)).performIn(LATER))
				.toList();
			application.client().enqueueAll(application.queue(0), requests);
		}
		output.end("enqueue_s", start, "enqueued");
	}

	private static void pushOneAtATime(Application application, int from, Output output) throws Exception {
		try (Producers producers = new Producers(PRODUCERS)) {
			long start = output.begin("hot");
			producers.run(from, from + SINGLE, (number) -> application.client()
				.enqueue(application.queue(0), JobRequest.of(HOT, Integer.toString(number)).performIn(LATER)));
			output.seconds("hot_s", start);
		}
		output.mark("heated");
		output.result("hot_jobs", SINGLE);
	}

	private static void perform(Application application, Round round, Output output) throws InterruptedException {
		Tally tally = round.tally();
		Latencies latencies = round.latencies();
		QueueLayout layout = application.layout(0);
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
		long start = output.begin("process");
		application.redis().actions().performNow(hotShard, List.of(HOT));
		for (; tally.left() > 0 && probe < probes.length; probe++) {
			probe(application, probes[probe], latencies);
		}
		tally.await();
		output.end("process_s", start, "processed");
		output.result("processed", round.payloads() - tally.left());
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

	/**
	 * The counts of one hot id.
	 *
	 * @param payloads how many it gets
	 * @param tally which of its payloads were performed
	 * @param latencies those of the other shards' jobs
	 */
	private record Round(int payloads, Tally tally, Latencies latencies) {

		Round(int payloads) {
			this(payloads, new Tally(payloads, payloads), new Latencies(MAX_PROBES));
		}

	}

}
