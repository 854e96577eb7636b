package io.lowkiq.memory;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.StoreException;

/**
 * The recorded queues; the first registration of a name counts (rule 10).
 */
final class MemoryQueueRegistry implements QueueRegistry {

	/** Guarded by this, as the next two. */
	private final SortedMap<String, QueueLayout> byName = new TreeMap<>();

	/** The queues that are being removed. */
	private final Set<String> removing = new HashSet<>();

	/** The last generations of removed queues. */
	private final Map<String, Integer> removed = new HashMap<>();

	@Override
	public synchronized QueueLayout register(String name, int shards) {
		if (this.removing.contains(name)) {
			throw new StoreException("Queue '%s' is being removed".formatted(name), null);
		}
		return this.byName.computeIfAbsent(name,
				(key) -> new QueueLayout(key, this.removed.getOrDefault(key, 0) + 1, shards));
	}

	@Override
	public synchronized Optional<QueueLayout> find(String name) {
		return Optional.ofNullable(this.byName.get(name));
	}

	@Override
	public synchronized List<QueueLayout> all() {
		return List.copyOf(this.byName.values());
	}

	@Override
	public synchronized boolean beginRemoval(QueueLayout queue) {
		if (!isRecorded(queue)) {
			return false;
		}
		this.removing.add(queue.name());
		return true;
	}

	@Override
	public synchronized boolean cancelRemoval(QueueLayout queue) {
		if (!isRecorded(queue)) {
			return false;
		}
		this.removing.remove(queue.name());
		return true;
	}

	@Override
	public synchronized boolean endRemoval(QueueLayout queue) {
		if (!this.byName.containsKey(queue.name())) {
			return this.removed.getOrDefault(queue.name(), 0) == queue.generation();
		}
		if (!isRecorded(queue) || !this.removing.remove(queue.name())) {
			return false;
		}
		this.byName.remove(queue.name());
		this.removed.put(queue.name(), queue.generation());
		return true;
	}

	private boolean isRecorded(QueueLayout queue) {
		return queue.equals(this.byName.get(queue.name()));
	}

}
