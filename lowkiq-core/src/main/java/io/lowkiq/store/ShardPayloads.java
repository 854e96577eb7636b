package io.lowkiq.store;

import java.util.List;

/**
 * Payloads on their way into one shard.
 *
 * @param payloads the payloads, at least one, unless the shard is only asked
 */
public record ShardPayloads(Shard shard, List<NewPayload> payloads) {
}
