package io.lowkiq.store;

import io.lowkiq.store.job.Remembered;
import org.jspecify.annotations.Nullable;

/**
 * The store's answer to {@link ShardStore#enqueue}.
 *
 * @param now the store's time, in milliseconds since 1970
 * @param remembered null, or what the shard remembers of follow-ups of a shard if the
 * call names something else: then nothing was enqueued
 */
public record EnqueueResult(int merged, long now, @Nullable Remembered remembered) {

	/** The result of an enqueue that is certain. */
	public EnqueueResult(int merged, long now) {
		this(merged, now, null);
	}

}
