package io.lowkiq.store.inspection;

import io.lowkiq.store.Store;

/**
 * A storage that people can look into and change. Thread-safe.
 */
public interface InspectableStore extends Store {

	/** The read side, for people. */
	ShardInspection inspection();

	/** The actions of operators on jobs. */
	ShardActions actions();

	/** Tells which nodes live. All who ask share what it has seen, so that they agree. */
	LivingNodes livingNodes();

}
