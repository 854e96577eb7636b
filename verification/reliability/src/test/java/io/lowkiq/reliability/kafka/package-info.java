/** Kafka as a source of jobs, while the consumers and the broker are killed. */
@NullMarked
package io.lowkiq.reliability.kafka;

import org.jspecify.annotations.NullMarked;
