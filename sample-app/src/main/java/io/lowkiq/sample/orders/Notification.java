package io.lowkiq.sample.orders;

/**
 * Something to tell the customer.
 *
 * @param status the order's status
 */
record Notification(String status) {
}
