/** Tests of the programs. */
@NullMarked
package io.lowkiq.reliability.program;

import org.jspecify.annotations.NullMarked;
