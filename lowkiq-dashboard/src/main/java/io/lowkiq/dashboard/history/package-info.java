/**
 * The history: throughput of the last minutes, days and year, and the audit log, in Redis
 * or in memory. Used by {@code cluster} and {@code api}. It knows nothing of the other
 * packages, and not how the counts are read.
 */
@NullMarked
package io.lowkiq.dashboard.history;

import org.jspecify.annotations.NullMarked;
