package io.lowkiq.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.store.node.QueueUse;
import org.jspecify.annotations.Nullable;

/**
 * The queues that are recorded in the store, and what operators have set for their
 * groups. Thread-safe. Every method throws {@link io.lowkiq.StoreException} when the
 * store can't be reached.
 */
public interface QueueRegistry {

	/**
	 * Records a queue, if it is not recorded yet.
	 * @throws io.lowkiq.StoreException also if the record of the queue can't be read, or
	 * the queue is being removed
	 */
	QueueLayout register(QueueDeclaration declared);

	/**
	 * Records a queue whose ids are spread over all shards, if it is not recorded yet.
	 */
	default QueueLayout register(String name, int shards) {
		return register(new QueueDeclaration(name, shards));
	}

	/** Looks up a queue, and throws, too, if its record can't be read. */
	Optional<QueueLayout> find(String name);

	/** The recorded uses by queue: which application serves it, with which payloads. */
	Map<String, QueueUse> uses();

	/** Unless another use is recorded than the known one, or null. */
	QueueUse recordUse(String queue, @Nullable QueueUse known, QueueUse use);

	/**
	 * Begins to remove a queue: it can be found, but {@link #register} refuses it until
	 * the removal has ended or was given up.
	 */
	boolean beginRemoval(QueueLayout queue);

	/** Cancels a removal, and opens the shards that it has closed. */
	boolean cancelRemoval(QueueLayout queue);

	/**
	 * Ends a removal: neither the queue nor its use is recorded any more, and nothing is
	 * set for its groups.
	 */
	boolean endRemoval(QueueLayout queue);

	/**
	 * Sets parts for groups of a queue, or resets them by null, in steps of 500 groups,
	 * and tells the nodes once a step.
	 * @throws io.lowkiq.StoreException if the store is out of reach; some steps may be
	 * done
	 * @throws io.lowkiq.UnknownQueueException if the queue has been removed
	 */
	int override(QueueLayout queue, Map<String, GroupOverride> overrides, Set<GroupOverride.Part> parts);

	/**
	 * Reads what is set for the groups of a queue: what has changed since the last call,
	 * or everything. A part that can't be read is logged and left out; a pause holds
	 * nevertheless.
	 */
	GroupOverrides overrides(QueueLayout queue);

	/** Returned by {@link #overrides}, and forgotten by the store since. */
	Map<String, GroupOverride> forgottenOverrides(QueueLayout queue);

	/**
	 * Looks up for which queues something else is set than what is known, by one call.
	 */
	Set<QueueLayout> changedOverrides(Map<QueueLayout, GroupOverrides> known);

	/** All recorded queues. Those whose record can't be read are skipped and logged. */
	List<QueueLayout> all();

}
