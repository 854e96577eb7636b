package io.lowkiq.sample.orders;

/**
 * An order's entry in the index.
 *
 * @param version the order's version
 * @param status the order's status
 */
record IndexEntry(long version, String status) {
}
