/**
 * The storage on Redis, 6.2 or newer, also a cluster: one Lua script for each atomic
 * step, and all keys of a shard under one hash tag.
 */
@NullMarked
package io.lowkiq.redis;

import org.jspecify.annotations.NullMarked;
