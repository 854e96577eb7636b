package io.lowkiq.engine.schedule;

import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The share of a shard in the limits of its queue. Fetched jobs count as if they had
 * begun, so whatever is fetched may begin. Used by one thread at a time.
 */
public final class ShardLimits {

	private final int concurrency;

	private final @Nullable TokenBucket starts;

	/** The share of a shard, by its place from 0 on: no starts are saved up. */
	public ShardLimits(Limits limits, int shard, int shards, long nanos) {
		RateLimit rate = limits.rate();
		this.concurrency = limits.concurrency(shard, shards);
		this.starts = (rate != null) ? new TokenBucket(rate.interval(shards), rate.burst(shard, shards), nanos) : null;
	}

	/** The number of jobs that may be fetched; 0 or less for none. */
	public int room(int running, int fetched, long nanos) {
		int room = this.concurrency - running - fetched;
		return (this.starts != null) ? Math.min(room, this.starts.tokens(nanos) - fetched) : room;
	}

	/**
	 * The nanoseconds until then; the largest number if a job must begin or end before.
	 */
	public long untilRoom(int running, int fetched, long nanos) {
		if (this.concurrency - running - fetched <= 0) {
			return Long.MAX_VALUE;
		}
		return (this.starts != null) ? this.starts.until(fetched + 1, nanos) : 0;
	}

	/** Notes that fetched jobs begin. */
	public void begin(int jobs, long nanos) {
		if (this.starts != null) {
			this.starts.take(jobs, nanos);
		}
	}

}
