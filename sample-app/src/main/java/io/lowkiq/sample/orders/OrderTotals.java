package io.lowkiq.sample.orders;

/**
 * The sums over all orders.
 *
 * @param performed hand-overs performed to success
 * @param merged changes that were handed over together with an older one of the same
 * order: performed + merged = received once all are done
 * @param stale hand-overs whose newest change was older than the row
 * @param failed performs that threw
 * @param buried changes whose retries were used up
 * @param fenced writes refused because the writer's lease had ended
 * @param overlaps performs that overlapped with one of the same order; 0 (I1)
 * @param disordered hand-overs not ascending by version; 0 (I2)
 * @param regressions rows that went back to an older version; 0
 */
record OrderTotals(long received, long performed, long merged, long stale, long failed, long buried, long fenced,
		long overlaps, long disordered, long regressions) {
}
