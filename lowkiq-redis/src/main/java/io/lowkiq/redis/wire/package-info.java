/** The packed formats in which values travel to scripts and stand in Redis. */
@NullMarked
package io.lowkiq.redis.wire;

import org.jspecify.annotations.NullMarked;
