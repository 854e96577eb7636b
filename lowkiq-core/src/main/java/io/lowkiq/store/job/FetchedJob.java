package io.lowkiq.store.job;

import java.util.List;

import io.lowkiq.Producers;
import io.lowkiq.store.ShardStore;
import org.jspecify.annotations.Nullable;

/**
 * A job that its owner has fetched: it is busy from then on.
 *
 * @param performAt milliseconds since 1970
 * @param retryCount -1 for a fresh job, 0 after the first failure
 * @param crashes in how many crashes of nodes it has been busy since it failed last (rule
 * 8); at least {@link ShardStore#SUSPECT_AFTER} if it exhausted the memory of a node
 * @param failure null if it has none
 * @param payloads ascending by score, equal scores by unsigned bytes; never empty
 * @param unreadableFor milliseconds since its first payload was first unreadable; 0 if it
 * isn't
 * @param dueFor for how many milliseconds it had been due when it was fetched
 */
public record FetchedJob(String id, long performAt, int retryCount, int crashes, @Nullable Failure failure,
		List<Payload> payloads, long unreadableFor, long dueFor, Producers producers) {

	/** Creates a job of unknown producers that has just become due. */
	public FetchedJob(String id, long performAt, int retryCount, int crashes, @Nullable String error,
			List<Payload> payloads, long unreadableFor) {
		this(id, performAt, retryCount, crashes, (error != null) ? new Failure(error) : null, payloads, unreadableFor,
				0, Producers.NONE);
	}

	/** Creates a job whose first payload is not known to be unreadable. */
	public FetchedJob(String id, long performAt, int retryCount, int crashes, @Nullable String error,
			List<Payload> payloads) {
		this(id, performAt, retryCount, crashes, error, payloads, 0);
	}

	/** The text of its last failure; null if it has none. */
	public @Nullable String error() {
		return (this.failure != null) ? this.failure.text() : null;
	}

}
