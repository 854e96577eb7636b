package io.lowkiq.store;

import java.util.List;

/**
 * Follow-ups of a shard that have been enqueued.
 *
 * @param target the shard that has enqueued them
 * @param numbers their numbers in the shard in which they waited
 */
public record EnqueuedFollowUps(Shard target, List<Long> numbers) {
}
