package io.lowkiq.store.job;

import java.util.List;

/** Payloads on their way into a shard, at least one, unless it is only asked. */
public record ShardPayloads(Shard shard, List<NewPayload> payloads) {
}
