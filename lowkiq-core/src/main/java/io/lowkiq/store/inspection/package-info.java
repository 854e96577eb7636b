/**
 * Inspection and operation: the read side of a shard, actions on its jobs, and the counts
 * of all queues. Admin, metrics and the dashboard use it, and storages implement it. The
 * client and the engine must not know it.
 */
@NullMarked
package io.lowkiq.store.inspection;

import org.jspecify.annotations.NullMarked;
