package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** All that the suite measures. */
final class Scenarios {

	private static final String WARM = "warm-up=15";

	private Scenarios() {
	}

	/** The scenarios in the order in which they are run. */
	static List<Scenario> all() {
		return List.of(new Scenario("classic", Scenarios::classic), new Scenario("enqueue", Scenarios::enqueue),
				new Scenario("idle", Scenarios::idle), new Scenario("load", Scenarios::load),
				new Scenario("mixed-220", (by) -> mixed(by, 220, 40)),
				new Scenario("mixed-20", (by) -> mixed(by, 20, 45)), new Scenario("long-runs", Scenarios::longPerforms),
				new Scenario("virtual-threads", Scenarios::virtualThreads),
				new Scenario("coalescing", Scenarios::coalescing), new Scenario("failures", Scenarios::failures),
				new Scenario("gathering", Scenarios::gathering), new Scenario("hot", Scenarios::hot),
				new Scenario("scale", Scenarios::scale), new Scenario("queues", Scenarios::queues),
				new Scenario("shards", Scenarios::shards), new Scenario("memory", Scenarios::memory),
				new Scenario("nodes", Scenarios::nodes), new Scenario("cluster", Scenarios::cluster),
				new Scenario("silence", Scenarios::silence), new Scenario("fleet", Scenarios::fleet),
				new Scenario("tenants", Scenarios::tenants), new Scenario("run-log", Scenarios::runLog));
	}

	/** Blank jobs with distinct ids, enqueued in bulk, then performed by 5 threads. */
	private static Stream<Trial> classic(Contenders by) {
		return Stream.concat(Stream.of(by.ours("batch 1", "throughput", WARM),
				by.ours("batch 1, fetch-ahead off", "throughput", "warm-up=4", "fetch-ahead=1"),
				by.ours("50 threads, fetch-ahead off", "throughput", "warm-up=4", "fetch-ahead=1", "threads=50",
						"shards=50"),
				by.ours("batch 1, new JVM", "throughput"), by.ours("batch 10", "throughput", WARM, "batch-size=10"),
				by.ours("batch 100", "throughput", WARM, "batch-size=100")), by.peers("throughput"));
	}

	/** One call for each job. */
	private static Stream<Trial> enqueue(Contenders by) {
		return Stream.of(by.ours("1 thread, one at a time", "enqueue", "producers=1"),
				by.ours("8 threads, one at a time", "enqueue", "producers=8"));
	}

	/** From the call of enqueue to the call of the worker. */
	private static Stream<Trial> idle(Contenders by) {
		return Stream.concat(Stream.of(by.ours("one job every 100 ms", "latency", "jobs-before=30000"),
				by.ours("one job every 100 ms, new JVM", "latency"),
				by.ours("one job every 5 ms", "latency", "jobs-before=30000", "pause=5")), by.peers("latency"));
	}

	/** From the time when a job is due to come to the call of the worker. */
	private static Stream<Trial> load(Contenders by) {
		return IntStream.of(25, 50, 75)
			.mapToObj((percent) -> by.ours("at " + percent + " %", "load", "percent=" + percent, "warm-up=8"));
	}

	/** Jobs of a millisecond, one in a hundred of a second; how long each waits. */
	private static Stream<Trial> mixed(Contenders by, int rate, int seconds) {
		String[] parameters = { "threads=5", "jobs-before=3000", "seed=341", "rate=" + rate, "seconds=" + seconds,
				"slow-per-mille=10" };
		return Stream.concat(Stream.of(by.ours("1 % slow", "poisson", parameters)),
				by.bullMq("BullMQ (concurrency 5)", "bullmq-poisson.mjs", parameters));
	}

	/** A job of a minute in each shard; how long all others wait meanwhile. */
	private static Stream<Trial> longPerforms(Contenders by) {
		return Stream.of(by.ours("60 s in each of 24 shards, 48 threads", "poisson", "threads=48", "shards=24",
				"blocking-seconds=60", "rate=200", "seconds=30", "slow-per-mille=0"));
	}

	/** Jobs that wait for something else most of the time. */
	private static Stream<Trial> virtualThreads(Contenders by) {
		return by.oursOnVirtualThreads("1,000 virtual threads, 24 shards, 100 ms", "throughput", "jobs=10000",
				"virtual-threads=true", "threads=1000", "shards=24", "perform-millis=100", "warm-up=4");
	}

	/** Ten times as many changes as the classic has jobs. */
	private static Stream<Trial> coalescing(Contenders by) {
		String changes = "changes=" + 10 * by.settings().jobs();
		return Stream.of(by.ours("1,000 ids, performed meanwhile", "coalescing", changes, "meanwhile=true"),
				by.ours("1,000 ids, performed afterwards", "coalescing", changes));
	}

	/** Payloads with some failures, without and with policies for them. */
	private static Stream<Trial> failures(Contenders by) {
		return Stream.of(by.ours("default policy", "failures"),
				by.ours("buryOn and RetryAfterException", "failures", "policies=true"));
	}

	/** Changes that wait until their id is quiet, at once and for 20 seconds. */
	private static Stream<Trial> gathering(Contenders by) {
		return Stream.of(by.ours("100,000 changes at once", "gathering"),
				by.ours("100,000 changes in 20 s", "gathering", "rate=5000", "changes-before=200000"),
				by.ours("100,000 changes in 20 s, new JVM", "gathering", "rate=5000"));
	}

	/** One id with as many payloads as the classic has jobs. */
	private static Stream<Trial> hot(Contenders by) {
		return Stream.of(by.ours("one hot id; latency of other shards", "hot", "warm-up=4"));
	}

	/** The classic on top of jobs that are queued already, each with 100 bytes. */
	private static Stream<Trial> scale(Contenders by) {
		long jobs = by.settings().jobs();
		return Stream
			.iterate(jobs / 10, (depth) -> depth <= jobs * (by.settings().huge() ? 100 : 10), (depth) -> depth * 10)
			.map((depth) -> by.ours(String.format(Locale.ROOT, "%,d queued before", depth), "depth", "depth=" + depth,
					WARM));
	}

	/** The classic spread over several queues. */
	private static Stream<Trial> queues(Contenders by) {
		return IntStream.of(1, 10, 100, 1_000)
			.mapToObj((queues) -> by.ours("queues: " + queues, "throughput", "queues=" + queues, WARM));
	}

	/** The classic with more shards. */
	private static Stream<Trial> shards(Contenders by) {
		return IntStream.of(5, 50, 500)
			.mapToObj((shards) -> by.ours("shards: " + shards, "throughput", "shards=" + shards, WARM));
	}

	/** Bytes of Redis per job with a payload of 100 bytes. */
	private static Stream<Trial> memory(Contenders by) {
		return Stream.concat(Stream.of(by.ours("5 shards", "memory")), by.peers("memory"));
	}

	/** Nodes on one Redis, in one JVM, each with connections and threads of its own. */
	private static Stream<Trial> nodes(Contenders by) {
		return IntStream.of(1, 2, 4)
			.mapToObj((nodes) -> by.ours("nodes: " + nodes + ", 20 shards", "throughput", "nodes=" + nodes, "shards=20",
					WARM));
	}

	/** One queue over three masters. */
	private static Stream<Trial> cluster(Contenders by) {
		return Stream.of(by.ours("1 Redis, 15 shards", "throughput", "shards=15", WARM),
				by.oursOnCluster("3 masters, 15 shards", "throughput", "shards=15", WARM));
	}

	/** A node that has nothing to do. */
	private static Stream<Trial> silence(Contenders by) {
		return Stream.of(by.ours("5 threads, 100 shards", "silence", "shards=100"));
	}

	/** Many nodes in one JVM that share many shards, until one node dies. */
	private static Stream<Trial> fleet(Contenders by) {
		return Stream.of(by.manyOfOurs("50 nodes, 5,000 shards", "fleet", "nodes=50", "shards=5000"));
	}

	/**
	 * A tenant that enqueues ten jobs a second, beside others with many queued jobs; and
	 * a tenant with all the jobs, without groups and with them.
	 */
	private static Stream<Trial> tenants(Contenders by) {
		String[] parameters = { "nodes=4", "threads=10", "shards=24" };
		String[] alone = with(parameters, "perform-millis=1", "warm-up=2");
		return Stream.of(
				by.ours("no groups, 60,000 jobs of another tenant", "tenants",
						with(parameters, "jobs=60000", "seconds=5")),
				by.ours("groups, 1,000,000 jobs of another tenant", "tenants", with(parameters, "groups=true")),
				by.ours("groups, 1,000,000 jobs of ten others", "tenants", with(parameters, "groups=true", "large=10")),
				by.ours("no groups, one tenant's jobs of 1 ms", "throughput", alone),
				by.ours("groups, one tenant's jobs of 1 ms", "throughput", with(alone, "groups=true")));
	}

	/** The classic without and with the log of runs, which is written asynchronously. */
	private static Stream<Trial> runLog(Contenders by) {
		return Stream.of(by.ours("no log of runs", "throughput", WARM),
				by.oursLogged("log of runs", "throughput", WARM));
	}

	private static String[] with(String[] parameters, String... more) {
		return Stream.concat(Stream.of(parameters), Stream.of(more)).toArray(String[]::new);
	}

}
