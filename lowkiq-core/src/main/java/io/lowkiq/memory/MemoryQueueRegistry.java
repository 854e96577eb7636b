package io.lowkiq.memory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;

/**
 * The recorded queues; the first registration of a name counts (rule 10).
 */
final class MemoryQueueRegistry implements QueueRegistry {

	private final ConcurrentSkipListMap<String, QueueLayout> byName = new ConcurrentSkipListMap<>();

	@Override
	public QueueLayout register(String name, int shards) {
		return this.byName.computeIfAbsent(name, (key) -> new QueueLayout(key, 1, shards));
	}

	@Override
	public Optional<QueueLayout> find(String name) {
		return Optional.ofNullable(this.byName.get(name));
	}

	@Override
	public List<QueueLayout> all() {
		return List.copyOf(this.byName.values());
	}

}
