package io.lowkiq.store;

import io.lowkiq.store.job.Shard;

/**
 * A session's right to process a shard. Every call of an owner names it, and does nothing
 * when it is not current (I6). The epoch, the fencing token, grows with every lease.
 */
public record Lease(Shard shard, String session, long epoch) {
}
