/**
 * Orders come in by HTTP, in a transaction of the database, and shipments by Kafka. Both
 * become jobs.
 */
@NullMarked
package io.lowkiq.samples.orders;

import org.jspecify.annotations.NullMarked;
