package io.lowkiq.store.inspection;

import io.lowkiq.store.Shard;

import io.lowkiq.store.FetchResult;

import org.jspecify.annotations.Nullable;

/**
 * How many jobs a shard has, and who owns it.
 *
 * @param fresh queued jobs with retryCount -1, and those on hold
 * @param retry queued jobs with retryCount 0 or more that are not on hold
 * @param delayed delayed jobs that are not due yet; suspects and jobs behind a busy one
 * don't count
 * @param oldest the smallest performAt of the first ready job, the delayed jobs and the
 * suspects, in milliseconds since 1970; {@link FetchResult#NOTHING} if there is none. A
 * ready job behind 1,000 void entries is not seen. With groups, the first jobs of the 100
 * groups whose last turns are longest ago are
 * @param session the owner's session; null if the shard is free
 * @param epoch the last epoch; 0 if there was none
 * @param since when the owner got the lease, in milliseconds since 1970; 0 if free
 * @param now the store's time, in milliseconds since 1970
 * @param newer whether a newer version has written it: what this version knows of the
 * owner, the pause and the counters may be wrong, and it changes nothing
 * @param groups the number of groups with ready jobs, if the queue has groups, or had
 */
public record ShardCounts(Shard shard, long fresh, long retry, long busy, long dead, long delayed, long held,
		long oldest, long processed, long failed, boolean paused, @Nullable String session, long epoch, long since,
		long now, long followUps, boolean newer, long suspects, long groups) {

	/** The queued jobs. */
	public long queued() {
		return this.fresh + this.retry;
	}

	/** How long the oldest due job has been due, in milliseconds; 0 if none is due. */
	public long lag() {
		return (this.oldest < this.now) ? this.now - this.oldest : 0;
	}

}
