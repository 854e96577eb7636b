package io.lowkiq.store;

/**
 * A session of a node that has ended, for people.
 *
 * @param endedAt when it left, or when the last heartbeat of a node that died was
 * counted, by the clock of the store, in milliseconds since 1970
 */
public record EndedNode(String session, NodeInfo info, long endedAt, boolean crashed) {
}
