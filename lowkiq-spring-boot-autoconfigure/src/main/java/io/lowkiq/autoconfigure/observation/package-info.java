/**
 * Auto-configuration of observations, tracing, and what runs around performs.
 */
@NullMarked
package io.lowkiq.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
