/** Auto-configuration of Micrometer metrics. */
@NullMarked
package io.lowkiq.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
