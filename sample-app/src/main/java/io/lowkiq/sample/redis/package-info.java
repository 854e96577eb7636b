/** The Redis that the sample brings along when none is configured. */
@NullMarked
package io.lowkiq.sample.redis;

import org.jspecify.annotations.NullMarked;
