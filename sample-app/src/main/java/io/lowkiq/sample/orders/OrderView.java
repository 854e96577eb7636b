package io.lowkiq.sample.orders;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * The row of an order, and what was seen of the order.
 *
 * @param id the order's id
 * @param version the last version written
 * @param status the status of that version
 * @param amount the amount of that version
 * @param fencingToken the epoch of the lease under which it was written
 * @param updatedAt when it was written
 * @param received changes accepted
 * @param performed hand-overs performed to success
 * @param merged changes that were handed over together with an older one
 * @param stale hand-overs whose newest change was older than the row
 * @param failed performs that threw
 * @param overlaps performs that overlapped
 * @param regressions how often the row went back to an older version
 */
record OrderView(String id, long version, String status, BigDecimal amount, long fencingToken, Instant updatedAt,
		long received, long performed, long merged, long stale, long failed, long overlaps, long regressions) {
}
