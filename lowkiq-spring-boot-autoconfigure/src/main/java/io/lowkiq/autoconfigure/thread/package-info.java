/** The states that Spring keeps on a thread. Each run finds them as its thread began. */
@NullMarked
package io.lowkiq.autoconfigure.thread;

import org.jspecify.annotations.NullMarked;
