@NullMarked
package io.lowkiq.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
