/**
 * Checks the English of README and docs.
 */
@NullMarked
package io.lowkiq.prose;

import org.jspecify.annotations.NullMarked;
