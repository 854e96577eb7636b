package io.lowkiq.reliability.program;

import io.lowkiq.reliability.history.EventLog;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.Store;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.node.NodeRegistry;

/** A store that writes down what a node does with it. Thread-safe. */
public final class RecordingStore implements Store {

	private final Store store;

	private final ShardStore shards;

	private final NodeRegistry nodes;

	/** Records. */
	public RecordingStore(Store store, EventLog history, Surroundings surroundings, Runnable ready) {
		this.store = store;
		this.shards = new RecordingShardStore(store.shards(), history, surroundings);
		this.nodes = RecordingNodeRegistry.of(store.nodes(), history, surroundings, ready);
	}

	@Override
	public ShardStore shards() {
		return this.shards;
	}

	@Override
	public QueueRegistry queues() {
		return this.store.queues();
	}

	@Override
	public NodeRegistry nodes() {
		return this.nodes;
	}

	@Override
	public WakeUps wakeUps() {
		return this.store.wakeUps();
	}

}
