package io.lowkiq.store;

import io.lowkiq.GatheringPolicy;

/**
 * How payloads of an id gather in a shard, as its owner leaves it there for producers.
 */
public record Gathering(GatheringPolicy policy, int maxPayloads) {

	public static final Gathering NONE = new Gathering(GatheringPolicy.NONE, 1_000);

}
