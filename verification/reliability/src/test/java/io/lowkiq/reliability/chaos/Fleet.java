package io.lowkiq.reliability.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.reliability.check.Settings;
import io.lowkiq.reliability.check.Verdict;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.reliability.history.History;
import io.lowkiq.reliability.history.HistoryWriter;
import io.lowkiq.reliability.program.DrawnLimits;
import io.lowkiq.reliability.program.NodeProgram;
import io.lowkiq.reliability.program.OperatorProgram;
import io.lowkiq.reliability.program.ProducerProgram;
import io.lowkiq.reliability.program.Workload;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A Redis of its own, the nodes, producers and operators on it, and the history of what
 * all of them did. Not thread-safe.
 */
final class Fleet implements AutoCloseable {

	/** For mixed faults: everything ends soon, even on a machine with other work. */
	private static final Pace FAST = new Pace(Duration.ofMillis(2_500), Duration.ofSeconds(1));

	/**
	 * How long after the lease duration a recovery may end. Each build only asks that it
	 * comes to an end, since other work may hold the machine up; the long run holds it to
	 * its limit.
	 */
	static final Duration RECOVERY_MARGIN = Duration.ofSeconds(Integer.getInteger("chaos.recovery-margin", 60));

	/** Whether the machine has nothing else to do. */
	private static final boolean IDLE = Boolean.getBoolean("chaos.idle");

	/** The watch of stalls says if it takes longer until a run is written down. */
	private static final Duration DELAY = Duration.ofMillis(500);

	/** Whether the nodes are in a network whose packets can be dropped. */
	private static final boolean ROUTED = Boolean.getBoolean("chaos.packets");

	/** The number of shards of each queue. */
	private static final int SHARDS = Integer.getInteger("chaos.shards", 6);

	private static final int THREADS = 5;

	/** How many jobs of one shard are due at the same time. */
	private static final int BACKLOG = 3_000;

	/** As producers of follow-ups, nodes have numbers from here on. */
	private static final int FIRST_NODE = 1_000;

	private static final Duration START = Duration.ofSeconds(60);

	private final Path directory;

	private final HistoryWriter history;

	private final Servers servers;

	private final String prefix = TestRedis.uniquePrefix();

	private final Map<String, ProgramProcess> nodes = new LinkedHashMap<>();

	private final List<ProgramProcess> others = new ArrayList<>();

	private final Pace pace;

	private final int failures;

	/** Of the programs that are started. */
	private String classPath = System.getProperty("java.class.path");

	/** The seed that draws the limits of the queues; 0 for none. */
	private long limits;

	private int started;

	private long faults;

	/**
	 * How long things last.
	 *
	 * @param lease the lease duration
	 * @param timeout how long a program waits for an answer
	 */
	private record Pace(Duration lease, Duration timeout) {
	}

	private Fleet(Path directory, Servers servers, Pace pace, int failures) {
		this.directory = directory;
		this.servers = servers;
		this.pace = pace;
		this.failures = failures;
		this.history = new HistoryWriter(directory, "driver");
	}

	/** A fleet on a Redis with a replica. */
	static Fleet onServerWithReplica(String name, int failures) {
		Path directory = directory(name);
		return new Fleet(directory, new SingleServer(directory, true, ROUTED), FAST, failures);
	}

	/** A fleet on a cluster. */
	static Fleet onCluster(String name, int failures) {
		return new Fleet(directory(name), new ClusterServers(SHARDS), FAST, failures);
	}

	private static Path directory(String name) {
		Path directory = Path.of("target", "chaos", name + "-" + System.currentTimeMillis()).toAbsolutePath();
		try {
			return Files.createDirectories(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Duration lease() {
		return this.pace.lease();
	}

	Path directory() {
		return this.directory;
	}

	Servers servers() {
		return this.servers;
	}

	/** The only master, or one of them. */
	RedisProcess redis() {
		return this.servers.masters().get(0);
	}

	/** From now on, programs are started with limits of queues and groups. */
	void limit(long seed) {
		this.limits = seed;
	}

	/** From now on, programs of another build are started. */
	void run(String otherClassPath) {
		this.classPath = otherClassPath;
	}

	/** Adds to the flags of a shard, as another build may, and wakes its owner. */
	void changeFlags(int change) {
		String shard = Workload.QUEUES.get(0) + ":1:0";
		String reply = redis().call("EVAL", """
				local flags = string.byte(redis.call('GETRANGE', KEYS[1], '1', '1')) + ARGV[1]
				redis.call('SETRANGE', KEYS[1], '1', string.char(flags))
				for _, channel in ipairs(redis.call('PUBSUB', 'CHANNELS', ARGV[2])) do
					redis.call('PUBLISH', channel, ARGV[3])
				end
				return flags""", "1", "%s:{%s}:meta".formatted(this.prefix, shard), Integer.toString(change),
				this.prefix + ":wake:*", shard);
		if (reply == null || reply.startsWith("-")) {
			throw new IllegalStateException(reply);
		}
	}

	// nodes

	private ProgramProcess startNode(int threads) {
		String name = "node-" + (++this.started);
		ProgramProcess node = start(this.servers.enterNetwork(), name, NodeProgram.class, this.servers.addressFor(name),
				"threads=" + threads, "lease=" + this.pace.lease().toMillis(), "failures=" + this.failures,
				"replicas=" + this.servers.replicas(), "producer=" + (FIRST_NODE + this.started));
		this.nodes.put(name, node);
		return node;
	}

	void startNodes(int count) {
		startNodes(count, THREADS);
	}

	/** Starts nodes and waits until they have joined. */
	void startNodes(int count, int threads) {
		List<ProgramProcess> fresh = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			fresh.add(startNode(threads));
		}
		fresh.forEach((node) -> node.awaitLine("READY", START));
	}

	private ProgramProcess start(List<String> network, String name, Class<?> program, String redis, String... further) {
		List<String> arguments = new ArrayList<>(
				List.of("name=" + name, "redis=" + redis, "prefix=" + this.prefix, "history=" + this.directory,
						"timeout=" + this.pace.timeout().toMillis(), "shards=" + SHARDS, "limits=" + this.limits));
		arguments.addAll(List.of(further));
		return new ProgramProcess(name, program, this.directory, arguments, network, this.classPath);
	}

	/** The nodes that were not killed and not stopped. */
	List<ProgramProcess> nodes() {
		return List.copyOf(this.nodes.values());
	}

	void kill(ProgramProcess node) {
		long fault = begin(FaultKind.KILL, node.name());
		node.kill();
		gone(node);
		over(fault);
	}

	/** Stops a node, and waits until it has ended in order. */
	void terminate(ProgramProcess node) {
		long fault = begin(FaultKind.TERMINATE, node.name());
		node.terminate();
		node.awaitExit(Duration.ofSeconds(40));
		gone(node);
		over(fault);
	}

	/** Takes note of nodes that have ended by themselves; returns them. */
	List<ProgramProcess> reap() {
		List<ProgramProcess> ended = nodes().stream().filter((node) -> !node.isAlive()).toList();
		ended.forEach(this::gone);
		return ended;
	}

	private void gone(ProgramProcess node) {
		this.history.write(new Event.ProcessGone(System.nanoTime(), node.name()));
		this.nodes.remove(node.name());
		this.servers.ended(node.name());
	}

	// faults

	long begin(FaultKind kind, String process) {
		long fault = ++this.faults;
		this.history.write(new Event.FaultBegun(System.nanoTime(), fault, kind, process));
		return fault;
	}

	void over(long fault) {
		this.history.write(new Event.FaultOver(System.nanoTime(), fault));
	}

	/** How many performs have begun, on nodes that live or lived. */
	long performs() {
		return History.count(this.directory, "start ");
	}

	// producers and operators

	/** Starts a producer that does not end by itself, of payloads of all kinds. */
	ProgramProcess startMixedProducer(int rate, int ids) {
		return startProducer(Integer.MAX_VALUE, rate, ids, "mixed");
	}

	/**
	 * Lets more jobs of one shard be due at the same time than a call looks at after a
	 * jump of the clock, and some come later.
	 */
	void startBacklog() {
		startProducer(BACKLOG, 0, 1, "backlog").awaitLine("DUE", START);
	}

	private ProgramProcess startProducer(int payloads, int rate, int ids, String kind) {
		int number = this.others.size() + 1;
		ProgramProcess producer = start(List.of(), "producer-" + number, ProducerProgram.class, this.servers.address(),
				"replicas=" + this.servers.replicas(), "producer=" + number, "seed=" + number, "payloads=" + payloads,
				"rate=" + rate, "ids=" + ids, "kind=" + kind);
		this.others.add(producer);
		return producer;
	}

	/** Starts somebody who pauses queues, deletes and hurries jobs. */
	void startOperator(int seed) {
		int number = this.others.size() + 1;
		this.others
			.add(start(List.of(), "operator-" + number, OperatorProgram.class, this.servers.address(), "seed=" + seed));
	}

	void awaitProducers(Duration timeout) {
		this.others.forEach((other) -> other.awaitLine("DONE", timeout));
	}

	/** Ends the producers and operators. */
	void stopProducers() {
		this.others.forEach((other) -> other.send("end"));
		awaitProducers(START);
	}

	// the end

	/** Waits until all jobs are done or dead, stops the nodes, and judges. */
	Verdict judge(Duration timeout) {
		LettuceConnectionFactory factory = this.servers.connect();
		try {
			Leftovers leftovers = new Leftovers(new StringRedisTemplate(factory), this.prefix, SHARDS);
			awaitEmpty(leftovers, timeout);
			this.history.write(leftovers.events().toArray(Event[]::new));
		}
		finally {
			factory.destroy();
		}
		List<ProgramProcess> rest = nodes();
		rest.forEach(ProgramProcess::terminate);
		rest.forEach((node) -> {
			node.awaitExit(Duration.ofSeconds(40));
			gone(node);
		});
		Verdict verdict = Verdict.of(History.read(this.directory), new Settings(Workload.RETRY_DELAY,
				Workload.MAX_RETRY_COUNT, this.pace.lease(), RECOVERY_MARGIN, IDLE, DELAY, queues()));
		System.out.printf(Locale.ROOT, "%s: %s%n", this.directory.getFileName(), verdict.figures());
		return verdict;
	}

	private Map<String, RegisteredWorker.Settings> queues() {
		return DrawnLimits.workers(SHARDS, this.limits)
			.all()
			.stream()
			.collect(Collectors.toMap(RegisteredWorker::queue, RegisteredWorker::settings));
	}

	private static void awaitEmpty(Leftovers leftovers, Duration timeout) {
		try {
			Awaitility.await().pollInterval(Duration.ofMillis(250)).atMost(timeout).until(() -> leftovers.count() == 0);
		}
		catch (org.awaitility.core.ConditionTimeoutException ex) {
			// The history says what is left
		}
	}

	@Override
	public void close() {
		this.nodes.values().forEach(ProgramProcess::kill);
		this.others.forEach(ProgramProcess::kill);
		this.history.close();
		this.servers.close();
	}

}
