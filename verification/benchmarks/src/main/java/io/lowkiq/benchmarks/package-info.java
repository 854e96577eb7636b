/**
 * The suite that measures Lowkiq beside other job queues: it starts Redis and the
 * processes to measure, samples them from outside, and reports.
 */
@NullMarked
package io.lowkiq.benchmarks;

import org.jspecify.annotations.NullMarked;
