/**
 * Kafka as a source of jobs: records are polled, enqueued, and committed when they are in
 * the store.
 */
@NullMarked
package io.lowkiq.autoconfigure.kafka;

import org.jspecify.annotations.NullMarked;
