package io.lowkiq.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A job that is handed to the owner of its shard and is busy from then on.
 *
 * @param id the job's id
 * @param performAt milliseconds since 1970
 * @param retryCount -1 for a fresh job, 0 after the first failure
 * @param crashes how many nodes have died while performing it (rule 8)
 * @param error what is kept of the last failure
 * @param payloads ascending by score, equal scores by unsigned bytes; never empty
 */
public record FetchedJob(String id, long performAt, int retryCount, int crashes, @Nullable String error,
		List<Payload> payloads) {
}
