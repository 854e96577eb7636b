/** The health of the server and its store. */
@NullMarked
package io.lowkiq.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
