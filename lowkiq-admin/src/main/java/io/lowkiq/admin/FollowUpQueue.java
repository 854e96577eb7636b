package io.lowkiq.admin;

import java.util.List;

/**
 * A queue for which follow-ups of completed jobs wait.
 *
 * @param queue the queue's name
 * @param recorded whether the queue is recorded in the store; if it isn't, nobody has
 * declared or served it, and the follow-ups wait until someone does
 * @param waiting how many wait
 * @param from the queues whose jobs they follow, in alphabetical order
 */
public record FollowUpQueue(String queue, boolean recorded, long waiting, List<String> from) {

	public FollowUpQueue {
		from = List.copyOf(from);
	}

}
