/**
 * The storage of shards in memory: the rules of a queue in their simplest form, for tests
 * and as the measure of every other storage. Knows only {@code io.lowkiq.store}.
 */
@NullMarked
package io.lowkiq.memory;

import org.jspecify.annotations.NullMarked;
