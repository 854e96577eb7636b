/** A side system that keeps changing orders over HTTP. */
@NullMarked
package io.lowkiq.sample.traffic;

import org.jspecify.annotations.NullMarked;
