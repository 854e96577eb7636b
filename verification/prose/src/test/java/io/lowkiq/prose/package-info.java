/**
 * Checks the English of README and docs, and of the first sentences of Javadoc and
 * scripts.
 */
@NullMarked
package io.lowkiq.prose;

import org.jspecify.annotations.NullMarked;
