/**
 * Inspection and operation: the read side of a shard, actions on its jobs, and the counts
 * of all queues.
 */
@NullMarked
package io.lowkiq.store.inspection;

import org.jspecify.annotations.NullMarked;
