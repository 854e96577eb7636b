@NullMarked
package io.lowkiq.autoconfigure.scanned;

import org.jspecify.annotations.NullMarked;
