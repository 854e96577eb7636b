package io.lowkiq.sample.orders;

/** An order's entry in the index. */
record IndexEntry(long version, String status) {
}
