package io.lowkiq.store;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.Shard;

/** Thrown when a later holder of an outbox' lock has enqueued. Nothing was enqueued. */
public class LateCallException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final long last;

	public LateCallException(Shard shard, long last) {
		super("Shard %s was called by another holder of the outbox' lock".formatted(shard), null);
		this.last = last;
	}

	/**
	 * The number of the last call; whoever holds the lock sends again with a larger one.
	 */
	public long last() {
		return this.last;
	}

}
