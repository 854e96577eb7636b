/**
 * How scripts are run on Redis: connections, repetitions, replies, errors, and the
 * subscription for wake-ups. Used by the storage. It doesn't know what the scripts do.
 */
@NullMarked
package io.lowkiq.redis.call;

import org.jspecify.annotations.NullMarked;
