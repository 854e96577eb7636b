/**
 * Calls the workers, and decides what becomes of the jobs. Knows nothing of leases and of
 * the store's calls.
 */
@NullMarked
package io.lowkiq.engine.perform;

import org.jspecify.annotations.NullMarked;
