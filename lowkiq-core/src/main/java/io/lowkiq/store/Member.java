package io.lowkiq.store;

/**
 * A living session of a node in the registry.
 *
 * @param session the session's id
 * @param beats how many heartbeats the registry has seen; it grows as long as the node
 * lives. No clock takes part: who watches the session counts the time in which this
 * number stays the same by a monotonic clock of its own
 * @param info what the node says of itself
 */
public record Member(String session, long beats, NodeInfo info) {
}
