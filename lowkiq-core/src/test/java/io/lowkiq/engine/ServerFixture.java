package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;

import io.lowkiq.JacksonPayloadCodec;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.Store;
import io.lowkiq.store.WakeUps;

/**
 * Servers and clients of one store, and what a test asks of them.
 */
class ServerFixture implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(20);

	final ShardStore store;

	final QueueRegistry queues;

	final NodeRegistry nodes;

	final WakeUps wakeUps;

	final ShardInspection inspection;

	private final List<RegisteredWorker> workers = new ArrayList<>();

	private final List<LowkiqServer> servers = new ArrayList<>();

	ServerFixture() {
		this(new InMemoryStore(InstantSource.system()));
	}

	ServerFixture(InMemoryStore store) {
		this(store.shards(), store.queues(), store.nodes(), store.wakeUps(), store.inspection());
	}

	ServerFixture(ShardStore store, QueueRegistry queues, NodeRegistry nodes, WakeUps wakeUps,
			ShardInspection inspection) {
		this.store = store;
		this.queues = queues;
		this.nodes = nodes;
		this.wakeUps = wakeUps;
		this.inspection = inspection;
	}

	ServerFixture worker(String queue, RegisteredWorker.Settings settings, QueueWorker<Integer> worker) {
		this.workers.add(new RegisteredWorker(queue, worker.getClass(), Integer.class, settings, () -> worker));
		return this;
	}

	static RegisteredWorker.Settings settings(int shards, int batchSize, int maxRetryCount) {
		return new RegisteredWorker.Settings(shards, batchSize, maxRetryCount, 1_000, 1, 0);
	}

	LowkiqClient client() {
		return new ShardedLowkiqClient(new WorkerRegistry(this.workers), this.store, this.queues,
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
	}

	LowkiqServer server() {
		return server((builder) -> builder);
	}

	LowkiqServer server(UnaryOperator<LowkiqServer.Builder> customizer) {
		return server(customizer, this.nodes);
	}

	/** A server that sees the nodes through a registry of its own. */
	LowkiqServer server(UnaryOperator<LowkiqServer.Builder> customizer, NodeRegistry registry) {
		LowkiqServer server = customizer
			.apply(LowkiqServer.builder(new WorkerRegistry(this.workers),
					new StoreParts(this.store, this.queues, registry, this.wakeUps)))
			.build();
		this.servers.add(server);
		return server;
	}

	ShardCounts counts(String queue, int shard) {
		return this.inspection.counts(this.queues.find(queue).orElseThrow().shard(shard));
	}

	List<ShardCounts> counts(String queue) {
		QueueLayout layout = this.queues.find(queue).orElseThrow();
		return layout.allShards().stream().map(this.inspection::counts).toList();
	}

	long processed(String queue) {
		return counts(queue).stream().mapToLong(ShardCounts::processed).sum();
	}

	boolean isEmpty(String queue) {
		return counts(queue).stream().allMatch((counts) -> counts.queued() == 0 && counts.busy() == 0);
	}

	/**
	 * A store out of parts.
	 */
	record StoreParts(ShardStore shards, QueueRegistry queues, NodeRegistry nodes, WakeUps wakeUps) implements Store {
	}

	/** Stops the servers; fails if a thread of them is left. */
	@Override
	public void close() {
		this.servers.forEach((server) -> server.stop(Duration.ofSeconds(10)));
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> Assertions.assertThat(Thread.getAllStackTraces().keySet())
				.extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("lowkiq-")));
	}

}
