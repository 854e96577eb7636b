/**
 * Tests of the sample.
 */
@NullMarked
package io.lowkiq.sample.traffic;

import org.jspecify.annotations.NullMarked;
