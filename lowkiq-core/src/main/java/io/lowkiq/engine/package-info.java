/**
 * The server: its threads, its deadlines, and the dispatch of each shard's jobs to the
 * threads.
 */
@NullMarked
package io.lowkiq.engine;

import org.jspecify.annotations.NullMarked;
