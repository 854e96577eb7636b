/** Tests of the sample. */
@NullMarked
package io.lowkiq.sample.redis;

import org.jspecify.annotations.NullMarked;
