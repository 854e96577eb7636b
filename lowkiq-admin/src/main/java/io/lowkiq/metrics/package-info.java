/** Meters of the client, the server and the queues, by Micrometer. */
@NullMarked
package io.lowkiq.metrics;

import org.jspecify.annotations.NullMarked;
