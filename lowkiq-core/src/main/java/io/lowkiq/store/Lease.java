package io.lowkiq.store;

/**
 * A session's right to process a shard. Every call of an owner names it, and does nothing
 * when it is not current (I6).
 *
 * @param epoch grows with every new owner and every new lease; the fencing token
 */
public record Lease(Shard shard, String session, long epoch) {
}
