package io.lowkiq.store;

/**
 * The last call of an owner that a shard knows of, or 0. It never goes back: an epoch is
 * followed by larger ones only, and under one epoch so is a sequence number.
 *
 * @param at by the clock of the store in milliseconds since 1970
 */
public record LastCall(long epoch, long sequence, long at) {

	public static final LastCall NONE = new LastCall(0, 0, 0);

	/** Whether the call was made before another one of the same shard. */
	public boolean isBefore(LastCall other) {
		return this.epoch < other.epoch || (this.epoch == other.epoch && this.sequence < other.sequence);
	}

}
