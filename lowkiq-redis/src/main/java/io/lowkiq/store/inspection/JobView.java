package io.lowkiq.store.inspection;

import java.util.List;

import io.lowkiq.Producers;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * A job as people look at it.
 *
 * @param performAt milliseconds since 1970; of a dead job, the time of its last burial;
 * {@link io.lowkiq.store.FetchResult#NOTHING} of a job on hold, and of a busy one that is
 * on hold when it comes back
 * @param retryCount -1 for a fresh job; of a dead job always -1
 * @param crashes the crash count, as in {@link io.lowkiq.store.job.FetchedJob#crashes()};
 * of a dead job always 0
 * @param failure what is kept of its failures; null if it has none. Its text may be cut,
 * and then there are no attempts, as {@link JobQuery#errorBytes()} says
 * @param unreadableSince since when its first payload can't be read, in milliseconds
 * since 1970; 0 if it isn't known to be unreadable
 */
public record JobView(Shard shard, State state, String id, long performAt, int retryCount, int crashes,
		@Nullable Failure failure, long payloadCount, List<Payload> payloads, Producers producers,
		long unreadableSince) {

	/** The text of its last failure; null if it has none. */
	public @Nullable String error() {
		return (this.failure != null) ? this.failure.text() : null;
	}

	public enum State {

		/** Waiting to be performed. */
		QUEUED,

		BUSY,

		DEAD

	}

}
