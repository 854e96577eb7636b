/** An application that is compiled ahead of time, as for a native image. */
@NullMarked
package io.lowkiq.consumer.aot;

import org.jspecify.annotations.NullMarked;
