package io.lowkiq.store.job;

import java.util.List;

/**
 * Payloads on their way into a shard by one call, at least one, unless it is only asked.
 */
public record ShardPayloads(Shard shard, List<NewPayload> payloads) {

	/** Maximum number of payloads, so that no call holds the store up for long. */
	public static final int MAX_PAYLOADS = 1_000;

	/** Maximum size of payloads in bytes, unless there is only one. */
	public static final int MAX_BYTES = 1 << 20;

}
