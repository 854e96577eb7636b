/**
 * Observations of enqueues and performs, by Micrometer: with tracing, spans that are
 * linked across the queue.
 */
@NullMarked
package io.lowkiq.observation;

import org.jspecify.annotations.NullMarked;
