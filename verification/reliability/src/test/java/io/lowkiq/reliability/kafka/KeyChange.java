package io.lowkiq.reliability.kafka;

/**
 * One record of a key.
 *
 * @param version counts the records of the key, from 1 on
 */
record KeyChange(long version) {
}
