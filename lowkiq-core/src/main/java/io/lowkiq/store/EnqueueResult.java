package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * The store's answer to {@link ShardStore#enqueue}.
 *
 * @param now the store's time, in milliseconds since 1970
 * @param remembered what the shard remembers of the shard from which follow-ups come, if
 * that is not what the call names: then nothing was enqueued; null otherwise
 */
public record EnqueueResult(int merged, long now, @Nullable Remembered remembered) {

	/** The result of an enqueue that is certain. */
	public EnqueueResult(int merged, long now) {
		this(merged, now, null);
	}

}
