/**
 * The storage of shards as the engine and the client see it: a small set of atomic steps
 * on one shard ({@link io.lowkiq.store.ShardStore}), the sessions of the nodes
 * ({@link io.lowkiq.store.NodeRegistry}), the recorded queues
 * ({@link io.lowkiq.store.QueueRegistry}), and apart from these what people need to look
 * and change ({@link io.lowkiq.store.inspection.ShardInspection},
 * {@link io.lowkiq.store.inspection.ShardActions}).
 */
@NullMarked
package io.lowkiq.store;

import org.jspecify.annotations.NullMarked;
