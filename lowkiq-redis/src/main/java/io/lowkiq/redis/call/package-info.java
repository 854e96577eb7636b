/**
 * The access of the storage to Redis: {@link io.lowkiq.redis.call.RedisConnections} to
 * run scripts and subscribe to channels, their replies and errors, and the implementation
 * by Lettuce.
 */
@NullMarked
package io.lowkiq.redis.call;

import org.jspecify.annotations.NullMarked;
