/**
 * The server: sessions and leases, performing threads, splitters, schedulers and the
 * performing of jobs. It knows the storage only by {@code io.lowkiq.store}.
 */
@NullMarked
package io.lowkiq.engine;

import org.jspecify.annotations.NullMarked;
