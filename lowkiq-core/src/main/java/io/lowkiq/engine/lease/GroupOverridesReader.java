package io.lowkiq.engine.lease;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.StoreException;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverrides;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what operators have set for the groups of the queues that this node serves:
 * before it acquires their first shards, and in each round of the membership, which
 * follows a message that something has changed. Used by the thread of the membership.
 */
final class GroupOverridesReader {

	private static final Logger logger = LoggerFactory.getLogger(GroupOverridesReader.class);

	private final QueueRegistry queues;

	private final ServedShards shards;

	private final BiConsumer<ServedQueue, Map<String, GroupOverride>> overridden;

	private final Map<QueueLayout, GroupOverrides> known = new LinkedHashMap<>();

	/** Whether the last reading failed, and was logged. */
	private boolean failed;

	GroupOverridesReader(QueueRegistry queues, ServedShards shards,
			BiConsumer<ServedQueue, Map<String, GroupOverride>> overridden) {
		this.queues = queues;
		this.shards = shards;
		this.overridden = overridden;
	}

	/**
	 * Reads the settings of queues for which they are not known, so that no job of a
	 * paused group begins.
	 */
	void readNew() {
		layouts().forEach((layout, queue) -> {
			if (!this.known.containsKey(layout)) {
				read(layout, queue);
			}
		});
	}

	void readAgain() {
		try {
			Map<QueueLayout, ServedQueue> layouts = layouts();
			this.known.keySet().retainAll(layouts.keySet());
			Set<QueueLayout> changed = this.queues.changedOverrides(this.known);
			layouts.forEach((layout, queue) -> {
				if (changed.contains(layout)) {
					read(layout, queue);
				}
			});
			this.failed = false;
		}
		catch (StoreException ex) {
			if (!this.failed) {
				this.failed = true;
				logger.warn("The settings of groups can't be read: {}. Those that are known stay in use",
						ex.getMessage());
			}
		}
	}

	private Map<QueueLayout, ServedQueue> layouts() {
		Map<QueueLayout, ServedQueue> layouts = new LinkedHashMap<>();
		this.shards.ordered()
			.stream()
			.filter((shard) -> shard.queue().groups().isAny())
			.forEach((shard) -> layouts.put(layout(shard), shard.queue()));
		return layouts;
	}

	private static QueueLayout layout(ServedShard shard) {
		QueueDeclaration declared = shard.queue().worker().declaration();
		return new QueueLayout(declared.queue(), shard.shard().generation(), declared.shards(),
				declared.oneShardPerGroup());
	}

	private void read(QueueLayout layout, ServedQueue queue) {
		GroupOverrides read = this.queues.overrides(layout);
		this.overridden.accept(queue, read.groups());
		this.known.put(layout, read);
	}

}
