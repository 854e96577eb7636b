/** Workers that are found by component scanning and enqueue jobs themselves. */
@NullMarked
package io.lowkiq.autoconfigure.enqueuing;

import org.jspecify.annotations.NullMarked;
