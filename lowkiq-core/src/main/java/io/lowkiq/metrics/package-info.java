/**
 * Meters of the client, the server and the queues, by Micrometer. Used by auto-
 * configurations only. It observes and reads; it changes no job.
 */
@NullMarked
package io.lowkiq.metrics;

import org.jspecify.annotations.NullMarked;
