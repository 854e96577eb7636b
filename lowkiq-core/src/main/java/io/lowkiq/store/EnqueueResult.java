package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * The store's answer to {@link ShardStore#enqueue}.
 *
 * @param merged how many of the payloads merged into a job that was queued already
 * @param now the store's time, in milliseconds since 1970
 * @param later the last follow-up of the same shard that was enqueued before, if its
 * epoch is larger than that of one that was taken for a repetition; null otherwise
 * @param forgotten how often the shard has forgotten an origin, if that is not what the
 * call expected: then nothing was enqueued; null otherwise
 */
public record EnqueueResult(int merged, long now, @Nullable Origin later, @Nullable Long forgotten) {

	/**
	 * The result of an enqueue that is certain.
	 */
	public EnqueueResult(int merged, long now) {
		this(merged, now, null, null);
	}

}
