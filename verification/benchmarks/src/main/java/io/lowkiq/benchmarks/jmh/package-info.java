/**
 * Costs inside one process, measured by JMH.
 */
@NullMarked
package io.lowkiq.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
