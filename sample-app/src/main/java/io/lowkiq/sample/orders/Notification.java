package io.lowkiq.sample.orders;

/** Something to tell the customer. */
record Notification(String status) {
}
