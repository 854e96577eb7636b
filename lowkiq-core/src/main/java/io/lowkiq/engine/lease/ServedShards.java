package io.lowkiq.engine.lease;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lowkiq.LayoutMismatchException;
import io.lowkiq.NewerVersionException;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.engine.schedule.ShardSplitter;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards that this node serves, known when its queues have been recorded.
 * Thread-safe, but for the state of the shards.
 */
public final class ServedShards {

	private static final Logger logger = LoggerFactory.getLogger(ServedShards.class);

	private final WorkerRegistry workers;

	private final QueueRegistry queueRegistry;

	private final ShardSplitter splitter;

	/** By name. */
	private final Map<String, ServedQueue> served;

	private final Map<ServedQueue, QueueTurns> turns;

	private final InstantSource clock;

	/** Filled by the heartbeat, read by all. */
	private final Map<Shard, ServedShard> shards = new ConcurrentHashMap<>();

	/** In the order of the splitter. Written by the heartbeat, read by all. */
	private volatile List<ServedShard> ordered = List.of();

	/** Written by the heartbeat, read by all. */
	private volatile Map<String, String> refused = Map.of();

	/** Creates the shards of a server; there are none before {@link #serve()}. */
	public ServedShards(WorkerRegistry workers, QueueRegistry queueRegistry, ShardSplitter splitter, int fetchAhead,
			int threads, InstantSource clock) {
		this.workers = workers;
		this.queueRegistry = queueRegistry;
		this.splitter = splitter;
		this.served = workers.all()
			.stream()
			.collect(Collectors.toUnmodifiableMap(RegisteredWorker::queue,
					(worker) -> new ServedQueue(worker, fetchAhead)));
		this.turns = this.served.values()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Function.identity(), (queue) -> new QueueTurns(queue.groups(),
					threads, queue.batchSize(), queue::meanRunTime, queue.groupWaits()::until)));
		this.clock = clock;
	}

	public QueueTurns turns(ServedQueue queue) {
		return Objects.requireNonNull(this.turns.get(queue));
	}

	/** The shard; null if it was never served. */
	public @Nullable ServedShard find(Shard shard) {
		return this.shards.get(shard);
	}

	/** The shard, which is served. */
	public ServedShard get(Shard shard) {
		ServedShard known = this.shards.get(shard);
		if (known == null) {
			throw new IllegalStateException("Shard %s is not served".formatted(shard));
		}
		return known;
	}

	/** All shards that were ever served. */
	public Collection<ServedShard> all() {
		return this.shards.values();
	}

	/** The shards that are served, in the order of the splitter. */
	public List<ServedShard> ordered() {
		return this.ordered;
	}

	/** The queues of this application that can't be served, with the reasons. */
	public Map<String, String> refused() {
		return this.refused;
	}

	/** Whether the living nodes share the shards among themselves. */
	public boolean isShared() {
		return this.splitter.isShared();
	}

	/** The names of the queues that this node serves shards of. */
	public Set<String> queues() {
		return this.ordered.stream()
			.filter((shard) -> !shard.queue().isStopped())
			.map((shard) -> shard.shard().queue())
			.collect(Collectors.toSet());
	}

	/** The names of the queues that were stopped on this node, sorted. */
	public List<String> stopped() {
		return this.served.values()
			.stream()
			.filter((queue) -> queue.isStopped() && queue.whyLeft() == null)
			.map(ServedQueue::name)
			.sorted()
			.toList();
	}

	/** The queues that belong to another application, each with a sentence. */
	public SortedMap<String, String> foreign() {
		SortedMap<String, String> foreign = new TreeMap<>();
		this.served.values().forEach((queue) -> {
			String sentence = queue.whyLeft();
			if (sentence != null) {
				foreign.put(queue.name(), sentence);
			}
		});
		return foreign;
	}

	/** Leaves a queue and its internal queues to others; null takes them over. */
	void leave(String queue, @Nullable String sentence) {
		this.served.values()
			.stream()
			.filter((served) -> served.belongsTo(queue))
			.forEach((served) -> served.leave(sentence));
	}

	/** The names of the queues that other applications may serve, too. */
	public Set<String> shared() {
		return this.workers.all()
			.stream()
			.filter((worker) -> worker.settings().shared())
			.map(RegisteredWorker::queue)
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Stops a queue on this node, or starts it again, also if it was left to another
	 * application.
	 * @throws UnknownQueueException if this node has no worker for the queue
	 */
	public boolean stop(String queue, boolean stop) {
		ServedQueue known = this.served.get(queue);
		if (known == null) {
			throw new UnknownQueueException("This node has no queue '%s'. Its queues are %s".formatted(queue,
					this.served.keySet().stream().sorted().toList()));
		}
		boolean wasLeft = !stop && known.whyLeft() != null;
		if (wasLeft) {
			leave(queue, null);
		}
		return known.stop(stop) || wasLeft;
	}

	/** The names of the payload types of the queues with shards for this node. */
	public Map<String, String> payloadTypes() {
		Map<String, String> types = new HashMap<>();
		this.ordered.stream()
			.map(ServedShard::queue)
			.map(ServedQueue::worker)
			.filter((worker) -> !worker.isInternal())
			.forEach((worker) -> types.putIfAbsent(worker.queue(), worker.payloadType().getTypeName()));
		return types;
	}

	/**
	 * Records the queues of all workers.
	 * @throws LayoutMismatchException if one is recorded with another layout
	 */
	public void registerAll() {
		for (RegisteredWorker worker : this.workers.all()) {
			try {
				register(worker);
			}
			catch (NewerVersionException ex) {
				// What serves says so, and serves the others
			}
		}
	}

	private QueueLayout register(RegisteredWorker worker) {
		QueueDeclaration declared = worker.declaration();
		return this.queueRegistry.register(declared).require(declared);
	}

	/** Records the queues, again if the store has lost them, and serves what it can. */
	public void serve() {
		List<Shard> all = new ArrayList<>();
		Map<String, String> refusals = new LinkedHashMap<>();
		for (RegisteredWorker worker : this.workers.all()) {
			try {
				QueueLayout layout = register(worker);
				ServedQueue queue = Objects.requireNonNull(this.served.get(worker.queue()));
				for (Shard shard : layout.allShards()) {
					all.add(shard);
					this.shards.computeIfAbsent(shard,
							(key) -> new ServedShard(key, queue, turns(queue), this.clock.instant()));
				}
			}
			catch (LayoutMismatchException ex) {
				refusals.put(worker.queue(), "%s. %s".formatted(ex.getMessage(), ex.advice()));
			}
			catch (NewerVersionException ex) {
				refusals.put(worker.queue(), String.valueOf(ex.getMessage()));
			}
		}
		refusals.forEach((queue, reason) -> logger.error("Queue '{}' is not served: {}", queue, reason));
		this.refused = Collections.unmodifiableMap(refusals);
		this.ordered = this.splitter.forNode(List.copyOf(all)).stream().map(this::get).toList();
	}

	/**
	 * Records queues again that were removed since they were recorded.
	 * @throws io.lowkiq.StoreException if the store is out of reach, or one is just being
	 * removed
	 */
	void serveRemoved() {
		if (recordAgain(queues())) {
			serve();
		}
	}

	/**
	 * Records queues, if the store has lost their records. Returns whether one has other
	 * shards by now.
	 */
	boolean recordAgain(Set<String> queues) {
		return this.workers.all().stream().filter((worker) -> queues.contains(worker.queue())).anyMatch((worker) -> {
			try {
				return find(register(worker).shard(0)) == null;
			}
			catch (LayoutMismatchException | NewerVersionException ex) {
				return true;
			}
		});
	}

}
