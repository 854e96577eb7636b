package io.lowkiq.redis;

import java.util.Arrays;
import java.util.Comparator;

/**
 * The place of a job in an order.
 *
 * @param number what the order is by, such as performAt
 * @param line the place in line; {@link #NOT_IN_LINE} for a job that isn't there
 * @param id the job's id
 * @param retry whether it is a queued job with retryCount of 0 or more
 */
@SuppressWarnings("ArrayRecordComponent")
record JobPlace(double number, long line, byte[] id, boolean retry) {

	/** Sorts behind all places in line. */
	static final long NOT_IN_LINE = Long.MAX_VALUE;

	/** By number; among equals those in line first, then the others by id. */
	static final Comparator<JobPlace> ORDER = Comparator.comparingDouble(JobPlace::number)
		.thenComparingLong(JobPlace::line)
		.thenComparing(JobPlace::id, Arrays::compareUnsigned);

	boolean isInLine() {
		return this.line != NOT_IN_LINE;
	}

}
