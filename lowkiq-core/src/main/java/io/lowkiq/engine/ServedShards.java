package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.engine.ServerStatus.RefusedQueue;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Shard;

/**
 * The shards that this node serves, found out by recording its queues. The slots stay the
 * same over all starts of a server, so that a perform which outlived a stop keeps its
 * shard from being fetched.
 */
final class ServedShards {

	private static final Logger logger = LoggerFactory.getLogger(ServedShards.class);

	private final ServerParts parts;

	/** Filled by the heartbeat, read by all. */
	private final Map<Shard, ShardSlot> slots = new ConcurrentHashMap<>();

	/** In the order of the splitter. Written by the heartbeat, read by all. */
	private volatile List<ShardSlot> ordered = List.of();

	/**
	 * Whether the splitter says which shards the node serves. Written as
	 * {@link #ordered}.
	 */
	private volatile boolean fixed;

	/** Written by the heartbeat, read by all. */
	private volatile List<RefusedQueue> refused = List.of();

	ServedShards(ServerParts parts) {
		this.parts = parts;
	}

	Map<Shard, ShardSlot> byShard() {
		return this.slots;
	}

	List<ShardSlot> ordered() {
		return this.ordered;
	}

	List<RefusedQueue> refused() {
		return this.refused;
	}

	/**
	 * Whether the node's shards are fixed, so that it takes no part in the assignment.
	 */
	boolean isFixed() {
		return this.fixed;
	}

	/** The names of the queues that this node serves shards of. */
	List<String> queues() {
		return this.ordered.stream().map((slot) -> slot.shard().queue()).distinct().toList();
	}

	/**
	 * Records a queue.
	 * @throws ShardCountMismatchException if it is recorded with another number of shards
	 */
	static QueueLayout register(QueueRegistry queues, RegisteredWorker worker) {
		int declared = worker.settings().shards();
		QueueLayout layout = queues.register(worker.queue(), declared);
		if (layout.shards() != declared) {
			throw new ShardCountMismatchException(worker.queue(), declared, layout.shards());
		}
		return layout;
	}

	/**
	 * Records the queues, also anew where the store has lost them, and makes the slots of
	 * those that can be served.
	 * @throws io.lowkiq.store.StoreException if the store is out of reach
	 */
	void register() {
		List<Shard> all = new ArrayList<>();
		List<RefusedQueue> mismatched = new ArrayList<>();
		for (RegisteredWorker worker : this.parts.workers().all()) {
			try {
				all.addAll(register(this.parts.queues(), worker).allShards());
			}
			catch (ShardCountMismatchException ex) {
				mismatched.add(new RefusedQueue(worker.queue(), advice(ex)));
			}
		}
		mismatched.forEach((queue) -> logger.error("Queue '{}' is not served: {}", queue.queue(), queue.reason()));
		this.refused = List.copyOf(mismatched);
		List<ShardSlot> newOrder = new ArrayList<>();
		for (Shard shard : this.parts.splitter().forNode(List.copyOf(all))) {
			newOrder.add(this.slots.computeIfAbsent(shard, this::slot));
		}
		this.fixed = newOrder.size() != all.size();
		this.ordered = List.copyOf(newOrder);
	}

	private ShardSlot slot(Shard shard) {
		RegisteredWorker worker = this.parts.workers().ofQueue(shard.queue()).orElseThrow();
		return new ShardSlot(shard, new ServedQueue(worker, this.parts.settings()), this.parts.clock().instant());
	}

	private static String advice(ShardCountMismatchException mismatch) {
		return mismatch.getMessage() + ". Set lowkiq.workers.%s.shards=%d, or drain the queue and change the number "
			.formatted(mismatch.queue(), mismatch.recorded()) + "recorded in the store";
	}

}
