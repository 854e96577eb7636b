/**
 * Observations of enqueues and runs, by Micrometer: with tracing, spans that are linked
 * across the queue. Used by auto-configurations only. It knows the client, and not the
 * engine.
 */
@NullMarked
package io.lowkiq.observation;

import org.jspecify.annotations.NullMarked;
