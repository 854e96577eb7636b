package io.lowkiq.store.node;

/** A living session of a node in the registry. */
public record Member(String session, long beats, NodeInfo info) {
}
