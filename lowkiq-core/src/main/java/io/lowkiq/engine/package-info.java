/**
 * The server: its threads, its deadlines, and the dispatch of each shard's jobs to the
 * threads. It knows the storage only by {@code io.lowkiq.store}.
 */
@NullMarked
package io.lowkiq.engine;

import org.jspecify.annotations.NullMarked;
