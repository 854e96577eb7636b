package io.lowkiq.store;

import java.util.List;

/**
 * What a node tells the others of itself.
 *
 * @param node the node's id, the same over its sessions
 * @param startedAt milliseconds since 1970 by the node's clock
 * @param queues the names of the queues of which it takes its share of the shards; empty
 * while it stops, or if its shards are fixed
 * @param status what the node does, as JSON for people
 */
public record NodeInfo(String node, long startedAt, List<String> queues, String status) {
}
