/**
 * Calls the workers, and decides the results of the jobs. Knows nothing of leases and of
 * the store's calls.
 */
@NullMarked
package io.lowkiq.engine.perform;

import org.jspecify.annotations.NullMarked;
