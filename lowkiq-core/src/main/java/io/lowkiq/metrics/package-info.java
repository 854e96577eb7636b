/**
 * What Micrometer is told of the client, the server and the queues.
 */
@NullMarked
package io.lowkiq.metrics;

import org.jspecify.annotations.NullMarked;
