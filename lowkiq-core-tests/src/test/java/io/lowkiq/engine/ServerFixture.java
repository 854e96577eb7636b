package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.Store;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;

/** Servers and clients of one store, and what a test asks of them. */
class ServerFixture implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(20);

	/** The shortest lease there is, so that a dead node is found soon. */
	static final ServerSettings BRIEF_LEASE = settings(5, Duration.ofSeconds(1));

	final ShardStore store;

	final QueueRegistry queues;

	final NodeRegistry nodes;

	final WakeUps wakeUps;

	final ShardInspection inspection;

	private final List<RegisteredWorker> workers = new ArrayList<>();

	private final List<LowkiqServer> servers = new ArrayList<>();

	/** Others may have left some that end by themselves, such as those of clients. */
	private final Set<Thread> threadsBefore = Set.copyOf(Thread.getAllStackTraces().keySet());

	ServerFixture() {
		this(InMemoryRedis.newStore(InstantSource.system()));
	}

	ServerFixture(RedisStore store) {
		this(store, store.shards());
	}

	/** With shards that fail, or are observed, of a store. */
	ServerFixture(RedisStore store, ShardStore shards) {
		this(store, shards, store.wakeUps());
	}

	ServerFixture(RedisStore store, ShardStore shards, WakeUps wakeUps) {
		this.store = shards;
		this.queues = store.queues();
		this.nodes = store.nodes();
		this.wakeUps = wakeUps;
		this.inspection = store.inspection();
	}

	ServerFixture worker(String queue, RegisteredWorker.Settings settings, QueueWorker<Integer> worker) {
		return worker(new RegisteredWorker(queue, worker.getClass(), Integer.class, settings, () -> worker));
	}

	ServerFixture worker(RegisteredWorker worker) {
		this.workers.add(worker);
		return this;
	}

	static RegisteredWorker.Settings settings(int shards, int batchSize, int maxRetryCount) {
		return settings(shards, batchSize, maxRetryCount, 0);
	}

	static RegisteredWorker.Settings settings(int shards, int batchSize, int maxRetryCount, int shardConcurrency) {
		return new RegisteredWorker.Settings(shards, batchSize, maxRetryCount, 1_000, 1, shardConcurrency);
	}

	static ServerSettings settings(int threads, Duration leaseDuration) {
		return new ServerSettings(threads, Duration.ofSeconds(1), leaseDuration, 100, false);
	}

	ShardedLowkiqClient client() {
		return new ShardedLowkiqClient(new WorkerRegistry(this.workers), this.store, this.queues,
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
	}

	LowkiqServer server() {
		return server((builder) -> builder);
	}

	LowkiqServer server(UnaryOperator<ServerOptions> customizer) {
		return server(customizer, this.nodes);
	}

	/** A server that sees the nodes through a registry of its own. */
	LowkiqServer server(UnaryOperator<ServerOptions> customizer, NodeRegistry registry) {
		LowkiqServer server = new LowkiqServer(customizer.apply(new ServerOptions(new WorkerRegistry(this.workers),
				new StoreParts(this.store, this.queues, registry, this.wakeUps))));
		this.servers.add(server);
		return server;
	}

	LowkiqServer started() {
		return started((builder) -> builder);
	}

	LowkiqServer started(UnaryOperator<ServerOptions> customizer) {
		LowkiqServer server = server(customizer);
		server.start();
		return server;
	}

	Shard shard(String queue, int index) {
		return this.queues.find(queue).orElseThrow().shard(index);
	}

	ShardCounts counts(String queue, int shard) {
		return this.inspection.counts(shard(queue, shard));
	}

	List<ShardCounts> counts(String queue) {
		QueueLayout layout = this.queues.find(queue).orElseThrow();
		return layout.allShards().stream().map(this.inspection::counts).toList();
	}

	long processed(String queue) {
		return counts(queue).stream().mapToLong(ShardCounts::processed).sum();
	}

	long failed(String queue) {
		return counts(queue).stream().mapToLong(ShardCounts::failed).sum();
	}

	boolean isEmpty(String queue) {
		return counts(queue).stream().allMatch((counts) -> counts.queued() == 0 && counts.busy() == 0);
	}

	/**
	 * Has a node that sends no heartbeat acquire a shard, also from such a one before it,
	 * and fetch its jobs.
	 */
	void takeAsDeadNode(String session, Shard shard) {
		takeAsDeadNode(session, shard, Duration.ofMillis(300));
	}

	void takeAsDeadNode(String session, Shard shard, Duration leaseDuration) {
		this.nodes.join(session, new NodeInfo(session, 0, leaseDuration, Set.of(shard.queue()), false));
		String before = this.inspection.counts(shard).session();
		LeaseRequest request = (before != null) ? LeaseRequest.afterCrash(session, before)
				: LeaseRequest.forFreeShard(session);
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.store.acquire(shard, request).join();
		this.store.completeAndFetch(acquired.lease(), 1, 0, List.of(), new Fetch(1_000, 10, true)).join();
	}

	/** A job of shard 0. */
	JobView job(String queue, JobView.State state, String id) {
		return this.inspection.find(shard(queue, 0), state, id, 10).orElseThrow();
	}

	/** An id that belongs to a shard. */
	static String idIn(QueueLayout layout, int index) {
		return idsIn(layout, index, 1).get(0);
	}

	static List<String> idsIn(QueueLayout layout, int index, int number) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "id" + i)
			.filter((id) -> layout.shardIndexOf(id) == index)
			.limit(number)
			.toList();
	}

	/** Waits until servers hold so many shards each, and all of them different ones. */
	static void awaitHeld(int shards, LowkiqServer... servers) {
		Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
			Set<Shard> all = new HashSet<>();
			for (LowkiqServer server : servers) {
				Assertions.assertThat(held(server)).hasSize(shards);
				all.addAll(held(server));
			}
			Assertions.assertThat(all).hasSize(shards * servers.length);
		});
	}

	static Set<Shard> held(LowkiqServer server) {
		return server.status()
			.shards()
			.stream()
			.filter(ShardStatus::held)
			.map(ShardStatus::shard)
			.collect(Collectors.toSet());
	}

	static void awaitIdle(LowkiqServer server) {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> server.status().threads().stream().allMatch((thread) -> thread.shard() == null));
	}

	/** A store out of parts. */
	record StoreParts(ShardStore shards, QueueRegistry queues, NodeRegistry nodes, WakeUps wakeUps) implements Store {
	}

	/** Stops the servers; fails if a thread of them is left. */
	@Override
	public void close() {
		this.servers.forEach((server) -> server.stop(Duration.ofSeconds(10)));
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> Assertions.assertThat(Thread.getAllStackTraces().keySet())
				.filteredOn((thread) -> !this.threadsBefore.contains(thread))
				.extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("lowkiq-")));
	}

}
