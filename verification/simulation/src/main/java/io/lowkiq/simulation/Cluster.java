package io.lowkiq.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.program.Operator;
import io.lowkiq.reliability.program.Producer;
import io.lowkiq.reliability.program.Workload;
import org.jspecify.annotations.Nullable;

/** The nodes of a run, at their places, a Redis, two producers and an operator. */
final class Cluster {

	private static final int PRODUCERS = 2;

	/** As producers of follow-ups, nodes have numbers from here on. */
	private static final int FIRST_NODE = 1_000;

	private static final Duration SHUTDOWN = Duration.ofSeconds(20);

	/** The part of the calls that arrives again when another one contradicts them. */
	private static final double AGAIN = 0.2;

	private static final Duration LAST_DELAY = Duration.ofMillis(300);

	/** How long after a crash a node is started again. */
	private static final Duration RESTART = Duration.ofMillis(500);

	private final Options options;

	private final Scheduler scheduler;

	private final Timeline timeline;

	private final SimulatedRedis redis;

	private final ForgottenCheck forgotten;

	private final Map<String, List<Event>> history = new LinkedHashMap<>();

	private final List<@Nullable SimulatedNode> places = new ArrayList<>();

	private final List<SimulatedProcess> processes = new ArrayList<>();

	private final SimulatedProcess driver;

	private int started;

	/** How many producers are at work. */
	private int producing;

	/** Whether producers and the operator end. */
	private boolean over;

	/** Whether everybody is killed. */
	private boolean ended;

	Cluster(Options options, Scheduler scheduler, Timeline timeline, UnaryOperator<String> scripts) {
		this.options = options;
		this.scheduler = scheduler;
		this.timeline = timeline;
		this.redis = new SimulatedRedis(scheduler, timeline, scripts, options.random(2));
		this.forgotten = new ForgottenCheck(scheduler::now, this.redis.server().store(), options.allShards());
		this.driver = process("driver");
		if (options.emptied()) {
			Workload.QUEUES.forEach((queue) -> this.redis.now("HSET", "lowkiq:{queues}", "removed:" + queue, "1"));
		}
		for (int place = 0; place < options.nodes(); place++) {
			this.places.add(null);
			startNode(place);
		}
		if (options.work() > 0) {
			startWork();
		}
	}

	private void startWork() {
		for (int producer = 1; producer <= PRODUCERS; producer++) {
			startProducer(producer);
		}
		if (this.options.poisoned()) {
			startPoisoner();
		}
		startOperator();
	}

	SimulatedRedis redis() {
		return this.redis;
	}

	/** The check of what failovers forget, and nodes say of it. */
	ForgottenCheck forgotten() {
		return this.forgotten;
	}

	Map<String, List<Event>> history() {
		return this.history;
	}

	/** Writes down what happens to the processes. */
	SimulatedProcess driver() {
		return this.driver;
	}

	private SimulatedProcess process(String name) {
		List<Event> events = new ArrayList<>();
		this.history.put(name, events);
		SimulatedProcess process = new SimulatedProcess(name, this.scheduler,
				this.options.random(1_000 + this.started++), this.timeline, events);
		this.processes.add(process);
		return process;
	}

	private Network network() {
		return new Network(this.scheduler, this.options.random(100_000 + this.started), this.redis.stragglers(),
				this.options.faults().kinds().contains(Fault.TWICE) ? AGAIN : 0);
	}

	/** The node at a place; null if it is dead. */
	@Nullable SimulatedNode node(int place) {
		return this.places.get(place);
	}

	/** Starts a node at a place where none is. */
	void startNode(int place) {
		if (this.places.get(place) == null && !this.ended) {
			SimulatedProcess process = process("node-%d.%d".formatted(place + 1, this.started));
			SimulatedNode node = new SimulatedNode(process, this.scheduler, network(), this.redis, this.options,
					FIRST_NODE + this.started, this.forgotten);
			this.places.set(place, node);
			process.onHalt(() -> crash(place, node));
		}
	}

	/**
	 * A crash comes when it wants, so the node is also started again after faults end.
	 */
	private void crash(int place, SimulatedNode node) {
		if (this.places.get(place) == node) {
			kill(place);
			this.scheduler.in(RESTART.toNanos(), () -> startNode(place));
		}
	}

	/** Kills the node at a place. */
	void kill(int place) {
		SimulatedNode node = this.places.get(place);
		if (node != null) {
			this.places.set(place, null);
			this.driver.write(new Event.ProcessGone(this.scheduler.now(), node.process().name()));
			node.kill();
		}
	}

	/** Stops the node at a place in order. */
	void terminate(int place, Runnable done) {
		SimulatedNode node = this.places.get(place);
		if (node != null) {
			node.stop(SHUTDOWN, () -> this.scheduler.in(0, () -> {
				if (this.places.get(place) == node) {
					kill(place);
				}
				done.run();
			}));
		}
	}

	private void startProducer(int number) {
		SimulatedProcess process = process("producer-" + number);
		Producer producer = producer(process, number, "mixed");
		long pause = this.options.pause().toNanos() * 100 / this.options.work();
		produce(process, () -> {
			while (!this.over) {
				producer.enqueueNext(Long.MAX_VALUE);
				process
					.sleep(this.options.restLeft(this.scheduler.now()) + pause / 2 + process.random().nextLong(pause));
			}
		});
	}

	/** Enqueues one payload that crashes each node which performs it. */
	private void startPoisoner() {
		SimulatedProcess process = process("poisoner");
		Producer producer = producer(process, PRODUCERS + 1, "poison");
		produce(process, () -> {
			process.sleep(process.random().nextLong(this.options.runs().toNanos() / 2));
			producer.enqueueNext(1);
		});
	}

	/** Enqueues a few more jobs, two of them delayed. */
	void enqueueLast() {
		SimulatedProcess process = process("latecomer");
		Producer producer = producer(process, PRODUCERS + 2, "plain");
		produce(process, () -> {
			producer.enqueueDelayed(2, this.options.shards(), LAST_DELAY);
			producer.enqueueNext(1);
		});
	}

	private Producer producer(SimulatedProcess process, int number, String kind) {
		RedisStore store = store(process);
		ShardedLowkiqClient client = new ShardedLowkiqClient(this.options.workers(process), store.shards(),
				store.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		Producer producer = new Producer(client, process, process, process.random(), number, this.options.ids(), kind);
		Set<Long> jobs = Set.copyOf(this.options.jobs());
		producer.only((job) -> jobs.isEmpty() || jobs.contains(job));
		return producer;
	}

	private void produce(SimulatedProcess process, Production production) {
		this.producing++;
		process.start("main", true, () -> {
			try {
				production.run();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			this.producing--;
		});
	}

	/** The work of a producer. */
	private interface Production {

		void run() throws InterruptedException;

	}

	private void startOperator() {
		SimulatedProcess process = process("operator");
		Operator operator = new Operator(store(process), process, process, process.random(), () -> this.over);
		process.start("main", true, () -> {
			try {
				while (!this.over) {
					operator.actOnce();
					process.sleep(Operator.PAUSE);
				}
				operator.resumeAll();
				while (!process.isGone()) {
					operator.releaseAllHeld();
					process.sleep(10 * Operator.PAUSE);
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	private RedisStore store(SimulatedProcess process) {
		return new RedisStore(new SimulatedConnections(process, this.scheduler, network(), this.redis), "lowkiq", null);
	}

	/** Lets producers and operators end. */
	void end() {
		this.over = true;
	}

	boolean isProducing() {
		return this.producing > 0;
	}

	void seeHealth() {
		for (SimulatedNode node : this.places) {
			if (node != null && !node.process().isFrozen()) {
				node.seeHealth();
			}
		}
	}

	/** Kills everybody; what is left ends by itself. */
	void killAll() {
		this.ended = true;
		for (int place = 0; place < this.places.size(); place++) {
			kill(place);
		}
		this.processes.forEach(SimulatedProcess::kill);
	}

	/** The threads that have not ended. */
	List<SimulatedThread> threads() {
		return this.processes.stream().flatMap((process) -> process.threads().stream()).toList();
	}

}
