package io.lowkiq.store.inspection;

import java.util.List;

import io.lowkiq.store.FetchResult;
import io.lowkiq.store.job.Shard;
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
 * ready job behind 1,000 void entries is not seen. With groups, the first jobs of 100
 * parked groups, and of the 100 others whose last turns are longest ago, are
 * @param session the owner's session; null if the shard is free
 * @param epoch the last epoch; 0 if there was none
 * @param since when the owner got the lease, in milliseconds since 1970; 0 if free
 * @param now the store's time, in milliseconds since 1970
 * @param newer whether a newer version has written it: what this version knows of the
 * owner, the pause and the counters may be wrong, and it changes nothing
 * @param groups the number of groups with ready jobs, if the queue has groups, or had
 * @param startable the oldest, of those that no pause and no limit of a group holds back
 * @param parked groups of which none may start, at most {@value #MAX_PARKED}
 */
public record ShardCounts(Shard shard, long fresh, long retry, long busy, long dead, long delayed, long held,
		long oldest, long processed, long failed, boolean paused, @Nullable String session, long epoch, long since,
		long now, long followUps, boolean newer, long suspects, long groups, long startable, List<ParkedGroup> parked) {

	/** The maximum number of parked groups. */
	public static final int MAX_PARKED = 100;

	public ShardCounts {
		parked = List.copyOf(parked);
	}

	/**
	 * A group that is paused, or at its limit.
	 *
	 * @param waiting the number of its ready jobs, some that were deleted included
	 * @param oldest the performAt of the first of them, in milliseconds since 1970;
	 * {@link FetchResult#NOTHING} if that was deleted
	 */
	public record ParkedGroup(String name, long waiting, long oldest) {
	}

	/** The queued jobs. */
	public long queued() {
		return this.fresh + this.retry;
	}

	/** The queued jobs that are due. */
	public long due() {
		return Math.max(0, queued() - this.delayed - this.held);
	}

	/**
	 * How long the oldest due job that may start has been due, in milliseconds: the time
	 * of jobs that a pause, or a limit of their group, holds back doesn't count.
	 * @return 0 if none is due
	 */
	public long lag() {
		return since(this.startable);
	}

	/** How long the oldest due job has been due, held back or not. */
	public long lagOfAll() {
		return since(this.oldest);
	}

	private long since(long performAt) {
		return Math.max(0, this.now - performAt);
	}

}
