package io.lowkiq.sample.orders;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * The row of an order, and what was seen of it, counted as in {@link OrderTotals}.
 *
 * @param fencingToken the epoch of the lease under which it was written
 */
record OrderView(String id, long version, String status, BigDecimal amount, long fencingToken, Instant updatedAt,
		long received, long performed, long merged, long stale, long failed, long overlaps, long regressions) {
}
