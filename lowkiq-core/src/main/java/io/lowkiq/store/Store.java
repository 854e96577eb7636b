package io.lowkiq.store;

import io.lowkiq.store.node.NodeRegistry;

/** A storage, as clients and servers see it. Thread-safe. */
public interface Store {

	/** The atomic steps of producers and owners. */
	ShardStore shards();

	QueueRegistry queues();

	NodeRegistry nodes();

	/** The messages to waiting nodes. */
	WakeUps wakeUps();

}
