package io.lowkiq.store;

/**
 * The last call of an owner that a shard knows of. It never goes back: an epoch is
 * followed by larger ones only, and under one epoch so is a sequence number.
 *
 * @param epoch the epoch of the last lease; 0 if there was none
 * @param sequence the sequence number of the last call under it; 0 if there was none
 * @param at when it was made, by the clock of the store in milliseconds since 1970; 0 if
 * the shard has not been called
 */
public record LastCall(long epoch, long sequence, long at) {

	/** No call. */
	public static final LastCall NONE = new LastCall(0, 0, 0);

	/** Whether the call was made before another one of the same shard. */
	public boolean isBefore(LastCall other) {
		return this.epoch < other.epoch || (this.epoch == other.epoch && this.sequence < other.sequence);
	}

}
