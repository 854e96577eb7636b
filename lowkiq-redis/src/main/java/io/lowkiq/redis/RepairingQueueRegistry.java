package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lowkiq.redis.ShardScripts.ShardCall;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.store.NewerVersionException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The recorded queues, with shards that are open. A removal closes the shards of its
 * queue, and opens them again if it is canceled. If it dies before that, they are opened
 * when the queue is registered the next time. Thread-safe.
 */
final class RepairingQueueRegistry implements QueueRegistry {

	private static final Logger logger = LoggerFactory.getLogger(RepairingQueueRegistry.class);

	private static final LuaScript OPEN = LuaScript.load("open", "open a shard");

	private final QueueRegistry registry;

	private final ShardScripts scripts;

	RepairingQueueRegistry(QueueRegistry registry, ShardScripts scripts) {
		this.registry = registry;
		this.scripts = scripts;
	}

	@Override
	public QueueLayout register(String name, int shards) {
		QueueLayout queue = this.registry.register(name, shards);
		int opened = openShards(queue);
		if (opened > 0) {
			logger.info("Opened {} shards of queue '{}', which the canceled removal of the queue had left closed",
					opened, name);
		}
		return queue;
	}

	/**
	 * Opens the shards of a queue that were closed before a moment at which the queue is
	 * not being removed: the removal that closed them was canceled. If another one begins
	 * after that moment, it closes them under a later epoch, which stands.
	 */
	private int openShards(QueueLayout queue) {
		Map<Shard, Long> closed = closedShards(queue);
		if (closed.isEmpty() || !this.registry.register(queue.name(), queue.shards()).equals(queue)) {
			return 0;
		}
		closed.forEach((shard, epoch) -> this.scripts.run(OPEN, shard, argument(epoch)));
		return closed.size();
	}

	/**
	 * The closed shards, with the epoch of the closing. One that a newer version has
	 * written is left to that.
	 */
	private Map<Shard, Long> closedShards(QueueLayout queue) {
		List<Shard> shards = new ArrayList<>(queue.allShards());
		List<Long> found = new ArrayList<>(shards.size());
		Map<Integer, StoreException> problems = this.scripts.runEach(OPEN,
				queue.allShards().stream().map((shard) -> new ShardCall(shard, argument(""))).iterator(),
				(reply) -> found.add(reply.number(0)));
		problems.values()
			.stream()
			.filter((problem) -> !(problem instanceof NewerVersionException))
			.forEach((problem) -> {
				throw problem;
			});
		problems.keySet().forEach((number) -> shards.remove(queue.shard(number)));
		Map<Shard, Long> epochs = new LinkedHashMap<>();
		for (int i = 0; i < shards.size(); i++) {
			if (found.get(i) != 0) {
				epochs.put(shards.get(i), found.get(i));
			}
		}
		return epochs;
	}

	@Override
	public Optional<QueueLayout> find(String name) {
		return this.registry.find(name);
	}

	@Override
	public List<QueueLayout> all() {
		return this.registry.all();
	}

	@Override
	public boolean beginRemoval(QueueLayout queue) {
		return this.registry.beginRemoval(queue);
	}

	@Override
	public boolean cancelRemoval(QueueLayout queue) {
		boolean canceled = this.registry.cancelRemoval(queue);
		if (canceled) {
			openShards(queue);
		}
		return canceled;
	}

	@Override
	public boolean endRemoval(QueueLayout queue) {
		return this.registry.endRemoval(queue);
	}

}
