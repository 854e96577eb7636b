package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lowkiq.store.FetchResult;

/**
 * When a shard has something to do, as the store said last: performAts and {@code now} in
 * milliseconds since 1970, the others by the monotonic clock.
 */
public record NextDue(long next, long nextSuspect, long dueAt, long suspectAt, long askedAt, long now) {

	private static final long FAR = Duration.ofDays(3650).toNanos();

	/** Converts times of the store to times of the monotonic clock. */
	public static NextDue of(long next, long nextSuspect, long now, long nanos) {
		return new NextDue(next, nextSuspect, at(next, now, nanos), at(nextSuspect, now, nanos), nanos, now);
	}

	private static long at(long time, long now, long nanos) {
		if (time == FetchResult.NOTHING) {
			return nanos + FAR;
		}
		long millis = Math.max(0, time - now);
		return nanos + Math.min(FAR, TimeUnit.MILLISECONDS.toNanos(millis));
	}

	/** The store's time at a time of the monotonic clock, in milliseconds since 1970. */
	public long storeTime(long nanos) {
		return this.now + TimeUnit.NANOSECONDS.toMillis(nanos - this.askedAt);
	}

}
