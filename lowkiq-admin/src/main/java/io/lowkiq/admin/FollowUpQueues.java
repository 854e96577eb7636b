package io.lowkiq.admin;

import java.util.List;

/**
 * The queues for which follow-ups of completed jobs wait.
 *
 * @param queues the queues: first those that are not recorded, then in alphabetical order
 * @param complete whether all follow-ups were counted; if not, more may wait for each of
 * the queues, and for others
 */
public record FollowUpQueues(List<FollowUpQueue> queues, boolean complete) {

	public FollowUpQueues {
		queues = List.copyOf(queues);
	}

}
