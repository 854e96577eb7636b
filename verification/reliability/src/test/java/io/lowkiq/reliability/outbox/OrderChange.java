package io.lowkiq.reliability.outbox;

/**
 * One change of an order.
 *
 * @param version the version of the order after the change
 * @param transaction the number of the transaction, unlike any other, committed or not
 */
record OrderChange(long version, long transaction) {
}
