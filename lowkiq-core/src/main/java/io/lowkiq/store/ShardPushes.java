package io.lowkiq.store;

import java.util.List;

/**
 * Payloads on their way into one shard.
 *
 * @param shard the shard of all the ids
 * @param pushes the payloads, at least one
 */
public record ShardPushes(Shard shard, List<Push> pushes) {
}
