/**
 * The storage as the client and the engine see it: atomic steps on one shard
 * ({@link io.lowkiq.store.ShardStore}), the sessions of the nodes
 * ({@link io.lowkiq.store.node.NodeRegistry}) and the recorded queues
 * ({@link io.lowkiq.store.QueueRegistry}).
 */
@NullMarked
package io.lowkiq.store;

import org.jspecify.annotations.NullMarked;
