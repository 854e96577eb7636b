package io.lowkiq.engine.lease;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.store.GroupOverrides;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;

/**
 * Reads what operators have set for the groups of the queues that this node serves:
 * before its first shards are acquired, after each message that something has changed,
 * and in each round of the membership. Used by the thread of the membership.
 */
final class GroupOverridesReader {

	private final QueueRegistry queues;

	private final ServedShards shards;

	private final ShardEvents events;

	/** The settings that were read last. */
	private final Map<QueueLayout, GroupOverrides> known = new HashMap<>();

	GroupOverridesReader(QueueRegistry queues, ShardEvents events, ServedShards shards) {
		this.queues = queues;
		this.events = events;
		this.shards = shards;
	}

	/**
	 * Reads.
	 * @throws io.lowkiq.store.StoreException if the store can't be reached
	 */
	void read() {
		Map<ServedQueue, Integer> generations = new LinkedHashMap<>();
		this.shards.ordered()
			.stream()
			.filter((shard) -> shard.queue().worker().settings().groups().isAny())
			.forEach((shard) -> generations.put(shard.queue(), shard.shard().generation()));
		generations.forEach(this::read);
	}

	private void read(ServedQueue queue, int generation) {
		QueueDeclaration declared = queue.worker().declaration();
		QueueLayout layout = new QueueLayout(declared.queue(), generation, declared.shards(),
				declared.oneShardPerGroup());
		GroupOverrides before = this.known.get(layout);
		GroupOverrides read = this.queues.overrides(layout, (before != null) ? before : GroupOverrides.NONE);
		if (!read.equals(before)) {
			this.events.overridden(queue, read.groups());
			this.known.put(layout, read);
		}
	}

}
