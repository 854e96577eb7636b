/**
 * The history of the last 48 hours, and the audit log, in Redis. Used by {@code actions},
 * {@code api} and {@code cluster}. It knows nothing of the other packages, and not how
 * the counts are read.
 */
@NullMarked
package io.lowkiq.dashboard.history;

import org.jspecify.annotations.NullMarked;
