/** Tests of the checker. */
@NullMarked
package io.lowkiq.reliability.check;

import org.jspecify.annotations.NullMarked;
