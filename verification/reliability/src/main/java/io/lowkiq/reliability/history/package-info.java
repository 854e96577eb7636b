/**
 * What producers, nodes and the driver of the faults did, as each wrote it down: one
 * append-only file a process, one line an event.
 */
@NullMarked
package io.lowkiq.reliability.history;

import org.jspecify.annotations.NullMarked;
