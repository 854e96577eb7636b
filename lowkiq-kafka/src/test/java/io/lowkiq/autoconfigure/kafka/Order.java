package io.lowkiq.autoconfigure.kafka;

/** A payload. */
record Order(String id, long version) {
}
