/** Runs nodes and producers as processes of their own, does them harm, and judges. */
@NullMarked
package io.lowkiq.reliability.chaos;

import org.jspecify.annotations.NullMarked;
