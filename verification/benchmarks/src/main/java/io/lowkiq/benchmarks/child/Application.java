package io.lowkiq.benchmarks.child;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.BatchWorker;
import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.GroupPolicy;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * An application with Lowkiq, put together as the auto-configuration does it: a client,
 * and one or more nodes, each with a connection factory of its own.
 */
final class Application implements AutoCloseable {

	private static final String QUEUE = "bench-";

	private static final String CLUSTER = "cluster://";

	private static final Duration SHUTDOWN = Duration.ofSeconds(30);

	private final Parameters parameters;

	private final WorkerRegistry workers;

	private final List<LettuceConnectionFactory> connectionFactories = new ArrayList<>();

	private final RedisStore store;

	private final LowkiqClient client;

	private List<Node> nodes = List.of();

	/** An application. */
	Application(Parameters parameters, Handler handler) {
		this(parameters, worker(batchSize(parameters), handler), FailurePolicy.DEFAULT, GatheringPolicy.NONE);
	}

	/** An application with policies. */
	Application(Parameters parameters, QueueWorker<String> worker, FailurePolicy failures, GatheringPolicy gathering) {
		this.parameters = parameters;
		this.workers = workers(parameters, worker, failures, gathering);
		this.store = store(connections());
		this.client = new ShardedLowkiqClient(this.workers, this.store.shards(), this.store.queues(),
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		LowkiqServer recorder = server(this.store);
		recorder.registerQueues();
	}

	LowkiqClient client() {
		return this.client;
	}

	RedisStore redis() {
		return this.store;
	}

	/** The name of a queue. */
	String queue(int index) {
		return QUEUE + index % queues(this.parameters);
	}

	/** Where the jobs of a queue go. */
	QueueLayout layout(int index) {
		return this.store.queues().find(queue(index)).orElseThrow();
	}

	int queues() {
		return queues(this.parameters);
	}

	/** Makes Redis give the memory back that it holds for later. */
	void giveBackFreeMemory() {
		try (RedisConnection connection = this.connectionFactories.get(0).getConnection()) {
			connection.execute("MEMORY", "PURGE".getBytes(StandardCharsets.US_ASCII));
		}
	}

	/** Starts new nodes. */
	void start() {
		this.nodes = IntStream.range(0, this.parameters.number("nodes", 1)).mapToObj((node) -> node()).toList();
		this.nodes.forEach((node) -> node.server().start());
	}

	/** The nodes that were started last. */
	List<LowkiqServer> nodes() {
		return this.nodes.stream().map(Node::server).toList();
	}

	/**
	 * Lets a node die as far as others can see: its connections are closed, and nothing
	 * that it does from then on reaches Redis, so that it doesn't leave either.
	 */
	void crash(int node) {
		this.nodes.get(node).connections().destroy();
	}

	/** Stops the nodes. */
	void stop() {
		this.nodes.forEach((node) -> node.server().stop(SHUTDOWN));
	}

	@Override
	public void close() {
		stop();
		this.connectionFactories.forEach(LettuceConnectionFactory::destroy);
	}

	private Node node() {
		LettuceConnectionFactory connections = connections();
		return new Node(server(store(connections)), connections);
	}

	private LowkiqServer server(RedisStore redis) {
		ServerSettings defaults = ServerSettings.DEFAULTS;
		ServerOptions options = new ServerOptions(this.workers, redis).settings(new ServerSettings(
				this.parameters.number("threads", defaults.threads()), defaults.pollInterval(), leaseDuration(),
				this.parameters.number("fetch-ahead", defaults.fetchAhead()), defaults.interruptOnLeaseLoss()));
		if (this.parameters.flag("virtual-threads")) {
			options.threadFactory(new VirtualThreadTaskExecutor().getVirtualThreadFactory()).threadPerRun(true);
		}
		if (this.parameters.flag("standing-clock")) {
			// So the size of a fetch does not depend on how quick the machine is
			options.nanoTime(() -> 0);
		}
		return new LowkiqServer(options);
	}

	Duration leaseDuration() {
		return Duration.ofSeconds(
				this.parameters.number("lease-seconds", (int) ServerSettings.DEFAULTS.leaseDuration().toSeconds()));
	}

	private static RedisStore store(LettuceConnectionFactory connections) {
		return new RedisStore(connections, "lowkiq", null);
	}

	private LettuceConnectionFactory connections() {
		LettuceConnectionFactory factory = lettuce(this.parameters.redisUrl());
		this.connectionFactories.add(factory);
		return factory;
	}

	private static LettuceConnectionFactory lettuce(String url) {
		LettuceConnectionFactory factory = url.startsWith(CLUSTER)
				? new LettuceConnectionFactory(
						new RedisClusterConfiguration(List.of(url.substring(CLUSTER.length()).split(",", -1))))
				: new LettuceConnectionFactory(
						(RedisStandaloneConfiguration) LettuceConnectionFactory.createRedisConfiguration(url));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static int batchSize(Parameters parameters) {
		return parameters.number("batch-size", RegisteredWorker.Settings.DEFAULTS.batchSize());
	}

	private static WorkerRegistry workers(Parameters parameters, QueueWorker<String> worker, FailurePolicy failures,
			GatheringPolicy gathering) {
		RegisteredWorker.Settings defaults = RegisteredWorker.Settings.DEFAULTS;
		RegisteredWorker.Settings settings = new RegisteredWorker.Settings(
				parameters.number("shards", defaults.shards()), batchSize(parameters), defaults.maxRetryCount(),
				defaults.maxPayloads(), defaults.schedulerWeight(), defaults.shardConcurrency())
			.with(failures)
			.with(gathering)
			.with(new GroupPolicy(parameters.flag("groups") ? ":" : ""));
		return new WorkerRegistry(IntStream.range(0, queues(parameters))
			.mapToObj((index) -> new RegisteredWorker(QUEUE + index, worker.getClass(), String.class, settings,
					() -> worker))
			.toList());
	}

	private static int queues(Parameters parameters) {
		return parameters.number("queues", 1);
	}

	private static QueueWorker<String> worker(int batchSize, Handler handler) {
		if (batchSize == 1) {
			Worker<String> worker = handler::handle;
			return worker;
		}
		BatchWorker<String> worker = (batch) -> batch.forEach((job) -> handler.handle(job.id(), job.payloads()));
		return worker;
	}

	/**
	 * A node of the application.
	 *
	 * @param connections its connections to Redis
	 */
	private record Node(LowkiqServer server, LettuceConnectionFactory connections) {
	}

}
