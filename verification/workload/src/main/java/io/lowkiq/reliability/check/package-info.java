/** Judges a history: whether the promise was kept, rule by rule. */
@NullMarked
package io.lowkiq.reliability.check;

import org.jspecify.annotations.NullMarked;
