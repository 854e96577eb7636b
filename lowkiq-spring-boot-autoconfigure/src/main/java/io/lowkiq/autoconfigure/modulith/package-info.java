/** Spring Modulith: externalized events become jobs. */
@NullMarked
package io.lowkiq.autoconfigure.modulith;

import org.jspecify.annotations.NullMarked;
