/** Recurring jobs, while nodes come, go and are killed. */
@NullMarked
package io.lowkiq.reliability.schedule;

import org.jspecify.annotations.NullMarked;
