/** The Java of README and docs, so that it is compiled. */
@NullMarked
package io.lowkiq.snippets;

import org.jspecify.annotations.NullMarked;
