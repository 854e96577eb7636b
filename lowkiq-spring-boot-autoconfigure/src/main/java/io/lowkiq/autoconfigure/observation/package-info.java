/** Auto-configuration of observations, tracing, and decorators of runs. */
@NullMarked
package io.lowkiq.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
