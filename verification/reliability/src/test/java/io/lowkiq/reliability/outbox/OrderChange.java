package io.lowkiq.reliability.outbox;

/**
 * One change of an order.
 *
 * @param version the version of the order after the change
 * @param transaction a number unlike that of any other change, committed or not
 */
record OrderChange(long version, long transaction) {
}
