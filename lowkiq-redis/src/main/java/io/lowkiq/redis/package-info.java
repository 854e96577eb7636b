/**
 * The storage on Redis, 6.2 or newer, also a cluster: one Lua script for each atomic
 * step, and all keys of a shard under one hash tag. Used by auto-configurations and
 * tests. It knows the SPI only, not the client and the engine.
 */
@NullMarked
package io.lowkiq.redis;

import org.jspecify.annotations.NullMarked;
