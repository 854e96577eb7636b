/**
 * Sessions, heartbeats, the nodes of the cluster, the assignment of shards, and the
 * leases of this node's shards, with the state of each shard and the lock over it.
 */
@NullMarked
package io.lowkiq.engine.lease;

import org.jspecify.annotations.NullMarked;
