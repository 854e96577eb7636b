/**
 * The server: its threads, its deadlines, and which thread performs which job of which
 * shard. It knows the storage only by {@code io.lowkiq.store}.
 */
@NullMarked
package io.lowkiq.engine;

import org.jspecify.annotations.NullMarked;
