package io.lowkiq.store.inspection;

import io.lowkiq.store.job.Shard;

/**
 * A group of ids with ready jobs in a shard; without a name, of ids that name none.
 *
 * @param waiting the number of its ready jobs, as far as was looked at, with some deleted
 * since
 * @param parked whether none of its jobs may begin, as far as the owner has said
 */
public record ShardGroup(Shard shard, String name, long waiting, boolean parked) {
}
