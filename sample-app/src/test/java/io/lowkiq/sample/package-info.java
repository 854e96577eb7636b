/** Tests of the sample. */
@NullMarked
package io.lowkiq.sample;

import org.jspecify.annotations.NullMarked;
