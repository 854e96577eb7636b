/**
 * The packed formats in which values travel to scripts and stand in Redis. Used by the
 * storage and by replies. It makes no calls.
 */
@NullMarked
package io.lowkiq.redis.wire;

import org.jspecify.annotations.NullMarked;
