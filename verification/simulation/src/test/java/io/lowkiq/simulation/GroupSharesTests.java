package io.lowkiq.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.JobRequest;
import io.lowkiq.Limits;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.testing.TestAdmin;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/**
 * The shares of groups beside each other and beside other queues, in virtual time: whole
 * nodes over a Redis, without faults.
 */
class GroupSharesTests {

	private static final Percentage TENTH = withinPercentage(10);

	private static final Percentage FIFTH = withinPercentage(20);

	private final Timeline timeline = new Timeline(Long.MAX_VALUE, false, List.of());

	private final Scheduler scheduler = new Scheduler(new SplittableRandom(1), this.timeline);

	private final SimulatedRedis redis = new SimulatedRedis(this.scheduler, this.timeline, (script) -> script,
			new SplittableRandom(2));

	private final List<RegisteredWorker> workers = new ArrayList<>();

	private int processes;

	/** The thread time that each group has used, in milliseconds. */
	private final Map<String, Double> used = new TreeMap<>();

	/** The runs of each group. */
	private final Map<String, Integer> runs = new TreeMap<>();

	/** The longest time between two starts of a group, in milliseconds. */
	private final Map<String, Double> longestWait = new HashMap<>();

	private final Map<String, Long> lastStart = new HashMap<>();

	/** What starts before doesn't count. */
	private long countsFrom;

	/** How long the jobs of a group run. */
	private Function<String, Duration> durations = (group) -> Duration.ofMillis(200);

	private void queue(String name, int shards, GroupPolicy policy) {
		queue(name, shards, policy, Limits.NONE);
	}

	private void queue(String name, int shards, GroupPolicy policy, Limits limits) {
		this.workers.add(new RegisteredWorker(name, Worker.class, Integer.class,
				new RegisteredWorker.Settings(shards, 1, 5, 1_000, 1, 0).with(policy).with(limits),
				() -> (Worker<Integer>) (id, payloads) -> perform(name, id)));
	}

	private void perform(String queue, String id) throws InterruptedException {
		String name = id.substring(0, id.indexOf(':'));
		String group = queue.equals("sync") ? name : queue.equals("spread") ? "spread:" + name : queue;
		SimulatedThread thread = (SimulatedThread) Thread.currentThread();
		long begun = this.scheduler.now();
		Long before = this.lastStart.put(group, begun);
		if (before != null && before >= this.countsFrom) {
			this.longestWait.merge(group, (begun - before) / 1e6, Math::max);
		}
		thread.process().sleep(this.durations.apply(group).toNanos());
		long counted = this.scheduler.now() - Math.max(begun, this.countsFrom);
		if (counted > 0) {
			this.used.merge(group, counted / 1e6, Double::sum);
			this.runs.merge(group, 1, Integer::sum);
		}
	}

	private SimulatedProcess process() {
		this.processes++;
		return new SimulatedProcess("p" + this.processes, this.scheduler, new SplittableRandom(this.processes),
				this.timeline, new ArrayList<>());
	}

	private RedisStore store(SimulatedProcess process) {
		Network network = new Network(this.scheduler, new SplittableRandom(100 + this.processes),
				this.redis.stragglers(), 0);
		return new RedisStore(new SimulatedConnections(process, this.scheduler, network, this.redis), "lowkiq", null);
	}

	private SimulatedProcess node(int threads) {
		SimulatedProcess process = process();
		LowkiqServer server = new LowkiqServer(new ServerOptions(new WorkerRegistry(this.workers), store(process))
			.settings(new ServerSettings(threads, Duration.ofSeconds(1), Duration.ofSeconds(30), 100, false))
			.clock(() -> Instant.EPOCH.plusNanos(process.nanoTime()))
			.runtime(process)
			.node(process.name()));
		process.start("main", true, server::start);
		return process;
	}

	private void enqueue(String queue, String group, int count) {
		SimulatedProcess process = process();
		RedisStore store = store(process);
		ShardedLowkiqClient client = new ShardedLowkiqClient(new WorkerRegistry(this.workers), store.shards(),
				store.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		int first = this.processes * 1_000_000;
		List<JobRequest<Integer>> jobs = IntStream.range(first, first + count)
			.mapToObj((i) -> JobRequest.of(group + ":" + i, i))
			.toList();
		process.start("main", true, () -> client.enqueueAll(queue, jobs));
		advance(Duration.ofMillis(50));
	}

	private void advance(Duration duration) {
		assertThat(this.scheduler.runUntil(this.scheduler.now() + duration.toNanos())).isTrue();
		assertThat(this.timeline.problems()).isEmpty();
	}

	/** Counts from now on, for a time. */
	private void count(Duration duration) {
		this.used.clear();
		this.runs.clear();
		this.longestWait.clear();
		this.countsFrom = this.scheduler.now();
		advance(duration);
	}

	private double used(String group) {
		return this.used.getOrDefault(group, 0.0);
	}

	/** The mean of all groups but one. */
	private double others(String group) {
		return this.used.entrySet()
			.stream()
			.filter((entry) -> !entry.getKey().equals(group))
			.mapToDouble(Map.Entry::getValue)
			.average()
			.orElseThrow();
	}

	private static GroupPolicy inOneShard(Limits limits) {
		return new GroupPolicy(":", 100, Map.of(), true, limits);
	}

	/** Groups that belong to a shard. */
	private static List<String> groupsOf(int shard, int shards, int count) {
		QueueLayout layout = new QueueLayout("sync", 1, shards, ":");
		return IntStream.range(0, 10_000)
			.mapToObj((i) -> "g" + i)
			.filter((group) -> layout.shardOf(group + ":1").index() == shard)
			.limit(count)
			.toList();
	}

	private void admin(Consumer<LowkiqAdmin> action) {
		SimulatedProcess process = process();
		LowkiqAdmin admin = TestAdmin.of(store(process));
		process.start("main", true, () -> action.accept(admin));
		advance(Duration.ofMillis(200));
	}

	@Test
	void weightIsAShareAmongManyGroups() {
		queue("sync", 1, new GroupPolicy(":", 100, Map.of("g0", 9)));
		for (int i = 0; i < 30; i++) {
			enqueue("sync", "g" + i, (i == 0) ? 900 : 120);
		}
		node(10);
		advance(Duration.ofSeconds(10));
		count(Duration.ofSeconds(50));
		assertThat(used("g0") / others("g0")).as(this.used.toString()).isCloseTo(9, TENTH);
	}

	@Test
	void smallestWeightIsServed() {
		queue("sync", 1, new GroupPolicy(":", 100, Map.of("g0", 9, "g1", 9, "g2", 9, "g3", 9)));
		for (int i = 0; i < 5; i++) {
			enqueue("sync", "g" + i, 900);
		}
		node(10);
		advance(Duration.ofSeconds(10));
		count(Duration.ofSeconds(50));
		assertThat(others("g4") / used("g4")).as(this.used.toString()).isCloseTo(9, TENTH);
	}

	@Test
	void longJobsGetNoMoreThreadsThanQuickOnes() {
		this.durations = (group) -> Duration.ofMillis(group.equals("slow") ? 5_000 : 20);
		queue("sync", 1, new GroupPolicy(":"));
		enqueue("sync", "slow", 100);
		enqueue("sync", "quick", 8_500);
		node(10);
		advance(Duration.ofSeconds(10));
		count(Duration.ofSeconds(20));
		assertThat(used("slow") / (used("slow") + used("quick"))).isBetween(0.45, 0.55);
		assertThat(this.longestWait.get("quick")).isLessThanOrEqualTo(200);
	}

	@Test
	void customersThatShareAShardHaveAsMuchAsOneThatIsAlone() {
		queue("sync", 4, inOneShard(Limits.NONE));
		List<String> ten = groupsOf(1, 4, 10);
		String alone = groupsOf(2, 4, 1).get(0);
		ten.forEach((group) -> enqueue("sync", group, 400));
		enqueue("sync", alone, 400);
		node(10);
		advance(Duration.ofSeconds(10));
		count(Duration.ofSeconds(60));
		assertThat(used(alone)).as(this.used.toString()).isCloseTo(others(alone), withinPercentage(15));
	}

	@Test
	void weightsHoldOverManyNodes() {
		queue("sync", 16, new GroupPolicy(":", 100, Map.of("g0", 3)));
		for (int i = 0; i < 4; i++) {
			node(10);
		}
		advance(Duration.ofSeconds(40));
		enqueue("sync", "g0", 6_000);
		enqueue("sync", "g1", 2_500);
		advance(Duration.ofSeconds(5));
		count(Duration.ofSeconds(20));
		assertThat(used("g0") / used("g1")).as(this.used.toString()).isCloseTo(3, TENTH);
	}

	@Test
	void groupThatComesLateHasItsShareAtOnceAndNothingToMakeUpFor() {
		queue("sync", 1, new GroupPolicy(":"));
		enqueue("sync", "a", 1_200);
		enqueue("sync", "b", 1_200);
		node(4);
		advance(Duration.ofMinutes(1));
		enqueue("sync", "new", 400);
		count(Duration.ofSeconds(30));
		assertThat(used("new")).as(this.used.toString()).isCloseTo(others("new"), FIFTH);
	}

	@Test
	void limitsAreReachedBesideAnotherQueue() {
		this.durations = (group) -> Duration.ofMillis(group.equals("other") ? 10 : group.equals("limited") ? 500 : 20);
		queue("sync", 1, inOneShard(new Limits(0, new RateLimit(100, Duration.ofSeconds(1)))));
		queue("limited", 1, inOneShard(new Limits(10, null)));
		queue("other", 24, GroupPolicy.NONE);
		enqueue("sync", "g1", 1_200);
		enqueue("limited", "g1", 300);
		enqueue("other", "x", 40_000);
		node(40);
		advance(Duration.ofSeconds(3));
		count(Duration.ofSeconds(6));
		assertThat(this.runs.get("g1")).isGreaterThanOrEqualTo(95 * 6);
		assertThat(this.runs.get("limited") * 500 / 6_000.0).as("running at a time").isGreaterThanOrEqualTo(9.5);
		assertThat(used("other")).isPositive();
	}

	/** Its turns are like those of the shards of the other queue. */
	@Test
	void resumedGroupHasItsTurnsBesideAnotherQueue() {
		this.durations = (group) -> Duration.ofMillis(100);
		queue("sync", 1, inOneShard(Limits.NONE));
		queue("other", 24, GroupPolicy.NONE);
		enqueue("sync", "g1", 900);
		enqueue("other", "x", 7_000);
		node(10);
		advance(Duration.ofSeconds(10));
		admin((admin) -> admin.group("sync", "g1").pause());
		advance(Duration.ofSeconds(4));
		admin((admin) -> admin.group("sync", "g1").resume());
		count(Duration.ofSeconds(40));
		assertThat(used("g1") / (used("g1") + used("other"))).isCloseTo(1 / 25.0, FIFTH);
	}

	@Test
	void resumedGroupHasItsShareOnABusyNode() {
		this.durations = (group) -> Duration.ofMillis(300);
		queue("sync", 24, inOneShard(Limits.NONE));
		List<String> groups = IntStream.range(0, 24).mapToObj((shard) -> groupsOf(shard, 24, 1).get(0)).toList();
		groups.forEach((group) -> enqueue("sync", group, 70));
		node(4);
		advance(Duration.ofSeconds(5));
		admin((admin) -> admin.group("sync", groups.get(0)).pause());
		advance(Duration.ofSeconds(4));
		admin((admin) -> admin.group("sync", groups.get(0)).resume());
		count(Duration.ofSeconds(60));
		assertThat(used(groups.get(0))).as(this.used.toString()).isCloseTo(others(groups.get(0)), FIFTH);
	}

	@Test
	void heldBackGroupsHaveTheirShareOnceTheyCanRun() {
		this.durations = (group) -> Duration.ofMillis(100);
		queue("sync", 1, inOneShard(Limits.NONE));
		for (String group : List.of("limited", "paused", "a", "b")) {
			enqueue("sync", group, 4_000);
		}
		admin((admin) -> admin.group("sync", "limited").concurrency(2));
		admin((admin) -> admin.group("sync", "paused").pause());
		node(12);
		advance(Duration.ofSeconds(30));
		enqueue("sync", "new", 2_000);
		count(Duration.ofSeconds(10));
		assertThat(used("limited")).isCloseTo(20_000, FIFTH);
		assertThat(used("new")).as(this.used.toString()).isCloseTo((used("a") + used("b")) / 2, FIFTH);
		admin((admin) -> admin.group("sync", "paused").resume());
		count(Duration.ofSeconds(10));
		assertThat(used("paused")).as(this.used.toString()).isCloseTo((used("a") + used("b") + used("new")) / 3, FIFTH);
		admin((admin) -> admin.group("sync", "limited").concurrency(12));
		count(Duration.ofSeconds(10));
		assertThat(used("limited")).as(this.used.toString()).isCloseTo(others("limited"), FIFTH);
	}

	@Test
	void customerHasNoMoreThanItsShareOverManyShards() {
		this.durations = (group) -> Duration.ofMillis(30);
		queue("sync", 200, new GroupPolicy(":", 80, Map.of()));
		enqueue("sync", "c", 6_000);
		node(10);
		advance(Duration.ofSeconds(5));
		count(Duration.ofSeconds(10));
		assertThat(used("c") / 10_000).isCloseTo(8, TENTH);
	}

	/** A group of a large weight is no reason for more turns of its queue. */
	@Test
	void queueWithWeightsHasNoMoreTurnsThanAnother() {
		this.durations = (group) -> Duration.ofMillis(100);
		queue("sync", 24, new GroupPolicy(":", 100, Map.of("g0", 100), true, Limits.NONE));
		queue("other", 24, GroupPolicy.NONE);
		for (int shard = 0; shard < 24; shard++) {
			String group = groupsOf(shard, 24, 1).get(0);
			enqueue("sync", group, group.equals("g0") ? 2_000 : 100);
		}
		enqueue("other", "x", 3_500);
		node(10);
		advance(Duration.ofSeconds(5));
		count(Duration.ofSeconds(30));
		double total = this.used.values().stream().mapToDouble(Double::doubleValue).sum();
		assertThat(used("other") / total).as(this.used.toString()).isCloseTo(0.5, FIFTH);
	}

	/** Its shard is asked though others are next, and no message comes. */
	@Test
	void newGroupIsFoundInAShardThatIsFarAhead() {
		this.durations = (group) -> Duration.ofMillis(100);
		queue("sync", 2, new GroupPolicy(":", 100, Map.of("g0", 50), true, Limits.NONE));
		String heavy = "g0";
		int other = new QueueLayout("sync", 1, 2, ":").shardOf("g0:1").index() == 0 ? 1 : 0;
		List<String> ahead = groupsOf(other, 2, 2);
		enqueue("sync", heavy, 1_500);
		enqueue("sync", ahead.get(0), 1_500);
		node(4);
		advance(Duration.ofSeconds(30));
		enqueue("sync", ahead.get(1), 100);
		count(Duration.ofSeconds(1));
		assertThat(this.runs).as(this.used.toString()).containsKey(ahead.get(1));
	}

	/** As a job that two nodes died with, which is performed alone. */
	@Test
	void suspectHasItsTurnBesideAnotherQueueOnceItsGroupIsResumed() {
		this.durations = (group) -> Duration.ofMillis(group.equals("g1") ? 100_000 : 100);
		queue("sync", 1, inOneShard(Limits.NONE));
		queue("other", 24, GroupPolicy.NONE);
		enqueue("sync", "g1", 1);
		for (int i = 0; i < 2; i++) {
			SimulatedProcess node = node(10);
			advance(Duration.ofSeconds(45));
			assertThat(this.lastStart).containsKey("g1");
			this.lastStart.clear();
			node.kill();
		}
		admin((admin) -> admin.group("sync", "g1").pause());
		enqueue("other", "x", 7_500);
		node(10);
		advance(Duration.ofSeconds(60));
		assertThat(this.lastStart).containsKey("other").doesNotContainKey("g1");
		admin((admin) -> admin.group("sync", "g1").resume());
		advance(Duration.ofSeconds(1));
		assertThat(this.lastStart).containsKey("g1");
	}

	@Test
	void queuesOfBothLayoutsGiveWeightsTheirShares() {
		this.durations = (group) -> Duration.ofMillis(100);
		Map<String, Integer> weights = Map.of("g0", 3);
		queue("sync", 8, new GroupPolicy(":", 100, weights, true, Limits.NONE));
		queue("spread", 8, new GroupPolicy(":", 100, weights));
		for (String group : List.of("g0", "g1")) {
			enqueue("sync", group, 4_000);
			enqueue("spread", group, 4_000);
		}
		node(10);
		advance(Duration.ofSeconds(15));
		count(Duration.ofSeconds(40));
		assertThat(used("g0") / used("g1")).as(this.used.toString()).isCloseTo(3, TENTH);
		assertThat(used("spread:g0") / used("spread:g1")).as(this.used.toString()).isCloseTo(3, TENTH);
	}

}
