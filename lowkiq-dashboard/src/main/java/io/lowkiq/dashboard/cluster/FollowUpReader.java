package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lowkiq.admin.FollowUpQueue;
import io.lowkiq.admin.FollowUpQueues;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;

/**
 * The queues for which follow-ups wait, as of a few seconds ago, however many browsers
 * look. Thread-safe.
 */
public final class FollowUpReader {

	private static final Duration MAX_AGE = Duration.ofSeconds(5);

	/** A deploy declares a queue soon after the first follow-up for it. */
	private static final Duration LASTING = Duration.ofMinutes(1);

	private final RecentSnapshot<FollowUpQueues> queues;

	private final InstantSource clock;

	/** Since when something waits for each queue; guarded by the monitor. */
	private final Map<String, Instant> since = new HashMap<>();

	/** Guarded by the monitor. */
	private @Nullable Instant lookedAt;

	public FollowUpReader(LowkiqAdmin admin, InstantSource clock) {
		this.queues = new RecentSnapshot<>(admin::followUpQueues, clock, MAX_AGE);
		this.clock = clock;
	}

	/** Forgets the last reading, because an action changed it. */
	public void forget() {
		this.queues.forget();
	}

	/** Reads the queues. */
	public FollowUpQueues queues() {
		return this.queues.get();
	}

	/** Reads nothing while no shard has any. */
	void addTo(List<Found> found, ClusterSnapshot reading) {
		if (reading.queues().stream().allMatch((queue) -> queue.sum(ShardCounts::followUps) == 0)) {
			lasting(List.of());
			return;
		}
		FollowUpQueues waiting = queues();
		lasting(waiting.queues().stream().filter((queue) -> !queue.recorded()).toList())
			.forEach((queue) -> add(found, queue, waiting.complete()));
	}

	/**
	 * The queues that have been waited for long enough to be a problem. So has one that
	 * is seen after nobody has looked for a while: nobody knows for how long.
	 */
	private synchronized List<FollowUpQueue> lasting(List<FollowUpQueue> waiting) {
		Instant now = this.clock.instant();
		Instant before = this.lookedAt;
		boolean isNew = before != null && now.isBefore(before.plus(LASTING));
		this.lookedAt = now;
		this.since.keySet().retainAll(waiting.stream().map(FollowUpQueue::queue).toList());
		waiting.forEach((queue) -> this.since.putIfAbsent(queue.queue(), isNew ? now : Instant.EPOCH));
		return waiting.stream()
			.filter((queue) -> !now.isBefore(this.since.getOrDefault(queue.queue(), now).plus(LASTING)))
			.toList();
	}

	private static void add(List<Found> found, FollowUpQueue queue, boolean complete) {
		found.add(new Found(Kind.FOLLOW_UPS_WAIT, false, String.format(Locale.ROOT,
				"%s%,d %s jobs of %s %s for queue %s, which no application has declared or served.",
				complete ? "" : "At least ", queue.waiting(),
				(queue.waiting() == 1) ? "payload that follows" : "payloads that follow",
				String.join(", ", queue.from()), (queue.waiting() == 1) ? "waits" : "wait", LogText.of(queue.queue())),
				Place.queue(queue.queue(), null)));
	}

}
