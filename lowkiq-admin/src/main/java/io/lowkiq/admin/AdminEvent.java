package io.lowkiq.admin;

import java.util.List;

/**
 * A changing call of {@link LowkiqAdmin} has ended, whether code, the dashboard or the
 * Actuator endpoint made it. Published once for each; erasing an id in all queues, once
 * for each queue in which something was found.
 *
 * @param user who made it
 * @param action what was done, such as {@code delete} or {@code remove-queue}
 * @param queue the queue's name; {@value #ALL_QUEUES} if it concerns all of them
 * @param ids the ids that were named; empty if the action is for a whole queue
 * @param changed how many jobs were changed; of pausing and resuming, how many shards
 * @param result how it ended
 * @param message the same for people
 */
public record AdminEvent(String user, String action, String queue, List<String> ids, long changed, Result result,
		String message) {

	/** The user of calls that the application makes by itself. */
	public static final String APPLICATION = "application";

	/** Stands for the queue of what concerns all queues. No queue has this name. */
	public static final String ALL_QUEUES = "*";

	public AdminEvent {
		ids = List.copyOf(ids);
	}

	/** How a call ended. */
	public enum Result {

		/** All is done. */
		DONE,

		/** It was stopped after a step; what was done stays done. */
		STOPPED,

		/** It threw an exception; what was done stays done. */
		FAILED

	}

}
