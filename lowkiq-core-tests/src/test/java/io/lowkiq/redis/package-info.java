/** Tests of the storage on Redis. */
@NullMarked
package io.lowkiq.redis;

import org.jspecify.annotations.NullMarked;
