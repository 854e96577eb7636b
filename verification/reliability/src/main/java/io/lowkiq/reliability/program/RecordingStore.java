package io.lowkiq.reliability.program;

import io.lowkiq.reliability.history.HistoryWriter;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.Store;
import io.lowkiq.store.WakeUps;

/**
 * A store that writes down what a node does with it. Thread-safe.
 */
final class RecordingStore implements Store {

	private final Store store;

	private final ShardStore shards;

	private final NodeRegistry nodes;

	/**
	 * Records.
	 * @param store the store
	 * @param history where to
	 * @param ready called when the first session has begun
	 */
	RecordingStore(Store store, HistoryWriter history, Runnable ready) {
		this.store = store;
		this.shards = new RecordingShardStore(store.shards(), history);
		this.nodes = new RecordingNodeRegistry(store.nodes(), history, ready);
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
