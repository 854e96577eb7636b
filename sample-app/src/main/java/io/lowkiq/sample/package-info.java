/** The sample: orders that change often, replicated in order. */
@NullMarked
package io.lowkiq.sample;

import org.jspecify.annotations.NullMarked;
