package io.lowkiq.store;

/**
 * A storage, as clients and servers see it. Thread-safe.
 */
public interface Store {

	/**
	 * The atomic steps of producers and owners.
	 * @return always the same
	 */
	ShardStore shards();

	/**
	 * The recorded queues.
	 * @return always the same
	 */
	QueueRegistry queues();

	/**
	 * The sessions of the nodes.
	 * @return always the same
	 */
	NodeRegistry nodes();

	/**
	 * The messages to waiting nodes.
	 * @return always the same
	 */
	WakeUps wakeUps();

}
