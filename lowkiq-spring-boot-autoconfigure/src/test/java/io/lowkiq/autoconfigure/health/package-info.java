@NullMarked
package io.lowkiq.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
