package io.lowkiq.admin;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The status of an outbox: what it can't send at present.
 *
 * @param problem why nothing at all can be sent; null if something can
 * @param waiting what waits while all else is sent, such as {@code queue 'orders'}, and
 * why. It is tried again by itself
 * @param waitingJobs how many jobs wait there, counted up to {@link KeptJobs#MAX_COUNTED}
 * @param waitingSince when the oldest of them was enqueued; null if none waits
 * @param aside how many jobs were put aside, because they can't be sent as they are
 * @param jobsAside the first of them
 * @param kept what is kept after it was sent; null if nothing is
 */
public record OutboxStatus(@Nullable String problem, Map<String, String> waiting, long waitingJobs,
		@Nullable Instant waitingSince, long aside, List<UnsentJob> jobsAside, @Nullable KeptJobs kept) {

	/** Nothing waits. */
	public static final OutboxStatus EMPTY = new OutboxStatus(null, Map.of(), 0, null, 0, List.of(), null);

	public OutboxStatus {
		jobsAside = List.copyOf(jobsAside);
	}

}
