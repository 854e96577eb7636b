package io.lowkiq.store.inspection;

import io.lowkiq.store.Store;

/** A storage that people can look into and change. Thread-safe. */
public interface InspectableStore extends Store {

	ShardInspection inspection();

	ShardActions actions();

	/** Tells which nodes live. */
	LivingNodes livingNodes();

}
