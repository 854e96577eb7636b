package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.admin.FollowUpQueue;
import io.lowkiq.admin.FollowUpQueues;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues for which follow-ups wait, as of a few seconds ago, however many browsers
 * look. Thread-safe.
 */
public final class FollowUpReader {

	private static final Logger logger = LoggerFactory.getLogger(FollowUpReader.class);

	private static final Duration MAX_AGE = Duration.ofSeconds(5);

	private final RecentSnapshot<FollowUpQueues> queues;

	/**
	 * Nothing is read yet.
	 * @param admin knows the follow-ups
	 * @param clock the clock by which a reading grows old
	 */
	public FollowUpReader(LowkiqAdmin admin, InstantSource clock) {
		this.queues = new RecentSnapshot<>(admin::followUpQueues, clock, MAX_AGE);
	}

	/**
	 * Forgets the last reading, because an action changed it.
	 */
	public void forget() {
		this.queues.forget();
	}

	/**
	 * Reads the queues.
	 * @return the queues for which follow-ups wait
	 * @throws StoreException if the store can't be reached
	 */
	public FollowUpQueues queues() {
		return this.queues.get();
	}

	/** Reads nothing while no shard has any. */
	void addTo(List<Found> found, ClusterSnapshot reading) {
		if (reading.queues().stream().allMatch((queue) -> queue.sum(ShardCounts::followUps) == 0)) {
			return;
		}
		try {
			FollowUpQueues waiting = queues();
			waiting.queues()
				.stream()
				.filter((queue) -> !queue.recorded())
				.forEach((queue) -> add(found, queue, waiting.complete()));
		}
		catch (StoreException ex) {
			logger.debug("Could not read the follow-ups", ex);
		}
	}

	private static void add(List<Found> found, FollowUpQueue queue, boolean complete) {
		found.add(new Found(Kind.FOLLOW_UPS_WAIT, true,
				"%s%,d %s jobs of %s %s for queue %s, which no application has declared or served.".formatted(
						complete ? "" : "At least ", queue.waiting(),
						(queue.waiting() == 1) ? "payload that follows" : "payloads that follow",
						String.join(", ", queue.from()), (queue.waiting() == 1) ? "waits" : "wait",
						LogText.of(queue.queue())),
				Place.queue(queue.queue(), null)));
	}

}
