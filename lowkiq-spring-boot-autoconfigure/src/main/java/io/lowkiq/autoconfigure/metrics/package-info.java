/**
 * The auto-configuration of what Micrometer is told.
 */
@NullMarked
package io.lowkiq.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
