package io.lowkiq.store.node;

/**
 * A session that has left, or died with a last heartbeat, by the clock of the store, in
 * milliseconds since 1970.
 */
public record EndedNode(String session, NodeInfo info, long endedAt, boolean crashed) {
}
