package io.lowkiq.store.inspection;

/**
 * The payloads that an erasure found of an id.
 *
 * @param busy whether it is being performed. That run continues with the payloads it has
 * got; whatever happens, they don't come back
 * @param waiting whether payloads waited in other shards as follow-ups
 * @param rows how many rows the outbox had of it, unsent or kept; -1 if there is none:
 * rows in others may be left
 */
public record Erasure(boolean queued, boolean busy, boolean dead, boolean waiting, long rows) {

	/** The result of an erasure in the id's shard. */
	public Erasure(boolean queued, boolean busy, boolean dead) {
		this(queued, busy, dead, false, 0);
	}

	/** Whether anything was found. */
	public boolean isAny() {
		return this.queued || this.busy || this.dead || this.waiting || this.rows > 0;
	}

}
