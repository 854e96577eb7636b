/**
 * The nodes of the cluster: their sessions, what they run, and what was forgotten.
 */
@NullMarked
package io.lowkiq.store.node;

import org.jspecify.annotations.NullMarked;
