package io.lowkiq.store.job;

/**
 * Where a follow-up has waited. A shard enqueues only follow-ups that are larger than the
 * last one of the same shard, by epoch and then number, so that one that is sent twice is
 * enqueued once.
 */
public record Origin(Shard shard, long epoch, long number) {

	/** Whether this follow-up comes after another one of the same shard. */
	public boolean isAfter(Origin other) {
		return this.epoch > other.epoch || (this.epoch == other.epoch && this.number > other.number);
	}

}
