package io.lowkiq.sample.orders;

/**
 * What the index holds of an order.
 *
 * @param version the order's version
 * @param status the order's status
 */
record IndexEntry(long version, String status) {
}
