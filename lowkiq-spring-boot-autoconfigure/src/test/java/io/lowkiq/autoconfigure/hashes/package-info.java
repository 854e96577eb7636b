/** An application with a Redis repository. */
@NullMarked
package io.lowkiq.autoconfigure.hashes;

import org.jspecify.annotations.NullMarked;
