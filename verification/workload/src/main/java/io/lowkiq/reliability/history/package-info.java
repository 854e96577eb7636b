/**
 * The records of producers, nodes and the driver of the faults, each of its own deeds:
 * one append-only file a process, one line an event.
 */
@NullMarked
package io.lowkiq.reliability.history;

import org.jspecify.annotations.NullMarked;
