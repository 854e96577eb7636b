/** Tests of the history. */
@NullMarked
package io.lowkiq.reliability.history;

import org.jspecify.annotations.NullMarked;
