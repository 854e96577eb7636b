package io.lowkiq.store;

/**
 * A job that was handed over to the owner of a shard, who waits, by the push that brought
 * it. The store did what a call of the owner would do: the job is busy.
 *
 * @param epoch the epoch of the lease
 * @param after the sequence number of the owner's last call before
 * @param sequence the number of this step, larger than any before; the owner's next call
 * has the one after it
 * @param job the job
 * @param next the performAt of the next job that is queued, in milliseconds since 1970;
 * {@link Turn#NOTHING} if there is none
 * @param now the store's time, in milliseconds since 1970
 */
public record HandOver(long epoch, long after, long sequence, FetchedJob job, long next, long now) {

	/** The largest payload that is handed over, in bytes. */
	public static final int MOST_BYTES = 4096;

}
