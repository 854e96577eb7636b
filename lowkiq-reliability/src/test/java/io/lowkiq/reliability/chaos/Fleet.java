package io.lowkiq.reliability.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.reliability.check.Settings;
import io.lowkiq.reliability.check.Verdict;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.reliability.history.History;
import io.lowkiq.reliability.history.HistoryWriter;
import io.lowkiq.reliability.program.NodeProgram;
import io.lowkiq.reliability.program.ProducerProgram;
import io.lowkiq.reliability.program.Workload;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A Redis of its own, the nodes and producers on it, and the history of what all of them
 * did. Not thread-safe.
 */
final class Fleet implements AutoCloseable {

	static final Duration LEASE = Duration.ofMillis(2_500);

	/**
	 * How long after the lease duration a recovery may end. Each build only asks that it
	 * comes to an end, since other work may hold the machine up; the long run holds it to
	 * its limit.
	 */
	static final Duration RECOVERY_MARGIN = Duration.ofSeconds(Integer.getInteger("chaos.recovery-margin", 60));

	/** The number of shards of each of the four queues. */
	private static final int SHARDS = Integer.getInteger("chaos.shards", 6);

	private static final String CLIENT = System.getProperty("chaos.client", "lettuce");

	private static final Duration START = Duration.ofSeconds(60);

	private static final int COMMAND_TIMEOUT = 1_000;

	private final Path directory;

	private final HistoryWriter history;

	private final RedisProcess redis;

	private final String prefix = TestRedis.uniquePrefix();

	private final Map<String, ProgramProcess> nodes = new LinkedHashMap<>();

	private final Map<String, TcpProxy> proxies = new LinkedHashMap<>();

	private final List<ProgramProcess> producers = new ArrayList<>();

	private final int failures;

	private int started;

	private long faults;

	Fleet(String name, int failures) {
		this.failures = failures;
		this.directory = Path.of("target", "chaos", name + "-" + System.currentTimeMillis()).toAbsolutePath();
		try {
			Files.createDirectories(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.history = new HistoryWriter(this.directory, "driver");
		// What is acknowledged is on disk: a restart may lose nothing
		this.redis = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");
	}

	Path directory() {
		return this.directory;
	}

	RedisProcess redis() {
		return this.redis;
	}

	// nodes

	/** Starts a node without waiting for it. */
	ProgramProcess startNode() {
		String name = "node-" + (++this.started);
		TcpProxy proxy = new TcpProxy(this.redis.port());
		this.proxies.put(name, proxy);
		ProgramProcess node = new ProgramProcess(name, NodeProgram.class, this.directory,
				List.of("name=" + name, "url=redis://127.0.0.1:" + proxy.port(), "prefix=" + this.prefix,
						"history=" + this.directory, "lease=" + LEASE.toMillis(), "threads=5", "shards=" + SHARDS,
						"failures=" + this.failures, "client=" + CLIENT, "timeout=" + COMMAND_TIMEOUT));
		this.nodes.put(name, node);
		return node;
	}

	void startNodes(int count) {
		List<ProgramProcess> fresh = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			fresh.add(startNode());
		}
		fresh.forEach((node) -> node.awaitLine("READY", START));
	}

	/** The nodes that were not killed or told to end. */
	List<ProgramProcess> nodes() {
		return List.copyOf(this.nodes.values());
	}

	TcpProxy proxy(ProgramProcess node) {
		TcpProxy proxy = this.proxies.get(node.name());
		if (proxy == null) {
			throw new IllegalArgumentException(node.name());
		}
		return proxy;
	}

	void kill(ProgramProcess node) {
		long fault = begin(FaultKind.KILL, node.name());
		node.kill();
		gone(node);
		over(fault);
	}

	/** Tells a node to end, and waits until it has ended in order. */
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
		TcpProxy proxy = this.proxies.remove(node.name());
		if (proxy != null) {
			proxy.close();
		}
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

	// producers

	/** Starts a producer. */
	ProgramProcess startProducer(int payloads, int rate, int ids, boolean hostile) {
		return startProducer(payloads, rate, ids, hostile ? "bad" : "plain");
	}

	/** Starts a producer of one payload that kills each JVM that performs it. */
	ProgramProcess startPoison() {
		return startProducer(1, 0, 1, "poison");
	}

	private ProgramProcess startProducer(int payloads, int rate, int ids, String kind) {
		int number = this.producers.size() + 1;
		ProgramProcess producer = new ProgramProcess("producer-" + number, ProducerProgram.class, this.directory,
				List.of("name=producer-" + number, "url=" + this.redis.url(), "prefix=" + this.prefix,
						"history=" + this.directory, "client=" + CLIENT, "timeout=" + COMMAND_TIMEOUT,
						"producer=" + number, "payloads=" + payloads, "rate=" + rate, "ids=" + ids, "shards=" + SHARDS,
						"kind=" + kind));
		this.producers.add(producer);
		return producer;
	}

	void awaitProducers(Duration timeout) {
		this.producers.forEach((producer) -> producer.awaitLine("DONE", timeout));
	}

	void stopProducers() {
		this.producers.forEach((producer) -> producer.tell("end"));
		awaitProducers(START);
	}

	// the end

	/** Waits until all jobs are done or dead, stops the nodes, and judges. */
	Verdict judge(Duration timeout) {
		LettuceConnectionFactory factory = TestRedis.connectionFactory(this.redis.url());
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
		Verdict verdict = Verdict.of(History.read(this.directory),
				new Settings(Workload.RETRY_DELAY, Workload.MAX_RETRY_COUNT, LEASE, RECOVERY_MARGIN));
		System.out.printf("%s: %s%n", this.directory.getFileName(), verdict.figures());
		return verdict;
	}

	private static void awaitEmpty(Leftovers leftovers, Duration timeout) {
		try {
			Awaitility.await().pollInterval(Duration.ofMillis(250)).atMost(timeout).until(() -> leftovers.count() == 0);
		}
		catch (org.awaitility.core.ConditionTimeoutException ex) {
			// The history tells what is left
		}
	}

	@Override
	public void close() {
		this.nodes.values().forEach(ProgramProcess::kill);
		this.producers.forEach(ProgramProcess::kill);
		this.proxies.values().forEach(TcpProxy::close);
		this.history.close();
		this.redis.close();
	}

}
