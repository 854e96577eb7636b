package io.lowkiq.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The jobs that an outbox keeps after it has sent them, in case Redis forgets them.
 *
 * @param jobs how many it keeps; {@value #MAX_COUNTED} if it keeps as many or more
 * @param since when the oldest of them was sent; null if it keeps none
 * @param resent how many were sent again, ever
 * @param resentAt when the last ones were; null if none ever was
 */
public record KeptJobs(long jobs, @Nullable Instant since, long resent, @Nullable Instant resentAt) {

	/** How many jobs are counted at most. */
	public static final long MAX_COUNTED = 10_000;

}
