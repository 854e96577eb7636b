/** Tests of the sample. */
@NullMarked
package io.lowkiq.sample.orders;

import org.jspecify.annotations.NullMarked;
