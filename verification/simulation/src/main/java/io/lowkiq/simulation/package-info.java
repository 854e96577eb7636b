/**
 * A cluster in one JVM, by one seed: the real client, engine, storage and scripts in
 * virtual time, on threads that run one at a time.
 */
@NullMarked
package io.lowkiq.simulation;

import org.jspecify.annotations.NullMarked;
