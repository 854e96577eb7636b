package io.lowkiq.store.inspection;

import io.lowkiq.store.Shard;

/**
 * A group of ids with ready jobs in a shard.
 *
 * @param name the name of the group; empty for ids that name none
 * @param waiting the number of its ready jobs. Those that the owner has not given to
 * their groups yet don't count, and some that were deleted since do
 * @param parked whether none of its jobs may begin, as far as the owner has said
 */
public record ShardGroup(Shard shard, String name, long waiting, boolean parked) {
}
