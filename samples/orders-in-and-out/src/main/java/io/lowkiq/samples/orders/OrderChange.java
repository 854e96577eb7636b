package io.lowkiq.samples.orders;

/** The payload of the jobs. */
record OrderChange(String status) {
}
