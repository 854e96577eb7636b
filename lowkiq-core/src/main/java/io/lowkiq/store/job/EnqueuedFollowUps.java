package io.lowkiq.store.job;

import java.util.List;

/** Follow-ups of a shard that have been enqueued. */
public record EnqueuedFollowUps(Shard target, List<Long> numbers) {
}
