/**
 * Redis for tests, also for those of other modules: a shared server, private ones that a
 * test may stop, kill and freeze, and a cluster.
 */
@NullMarked
package io.lowkiq.testing;

import org.jspecify.annotations.NullMarked;
