package io.lowkiq.store;

/**
 * A session of a node in the registry.
 *
 * @param session the session's id
 * @param expiresAt milliseconds since 1970 by the store's clock, after which the session
 * has ended for good
 * @param info what the node told of itself
 */
public record Member(String session, long expiresAt, NodeInfo info) {
}
