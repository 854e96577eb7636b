package io.lowkiq.samples.orders;

/**
 * The payload of the jobs.
 *
 * @param status what has become of the order
 */
record OrderChange(String status) {
}
