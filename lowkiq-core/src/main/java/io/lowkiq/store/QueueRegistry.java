package io.lowkiq.store;

import java.util.List;
import java.util.Optional;

/**
 * The queues that are recorded in the store. Thread-safe. Every method throws
 * {@link StoreException} when the store can't be reached. A record that can't be read
 * concerns only the queue of that name.
 */
public interface QueueRegistry {

	/**
	 * Records a queue, if it is not recorded yet.
	 * @param name the queue's name
	 * @param shards the number of shards
	 * @return the recorded queue, whose number of shards may be another
	 * @throws StoreException also if the record of the queue can't be read
	 */
	QueueLayout register(String name, int shards);

	/**
	 * Looks a queue up.
	 * @param name the queue's name
	 * @return the recorded queue; empty if there is none
	 * @throws StoreException also if the record of the queue can't be read
	 */
	Optional<QueueLayout> find(String name);

	/**
	 * All recorded queues. Those whose record can't be read are skipped and logged.
	 * @return the queues by name
	 */
	List<QueueLayout> all();

}
