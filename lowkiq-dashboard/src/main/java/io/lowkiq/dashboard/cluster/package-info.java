/**
 * The cluster as a whole: counts of all queues, nodes and what they run, Redis, problems,
 * and the recorder of the history. Used by {@code api} and {@code jobs}. It knows no
 * single job and changes nothing but the history.
 */
@NullMarked
package io.lowkiq.dashboard.cluster;

import org.jspecify.annotations.NullMarked;
