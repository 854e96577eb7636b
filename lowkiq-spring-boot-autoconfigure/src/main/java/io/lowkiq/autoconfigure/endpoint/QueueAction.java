package io.lowkiq.autoconfigure.endpoint;

import io.lowkiq.admin.AdminAction;

/**
 * The actions of the endpoint {@code lowkiq} on a queue.
 */
public enum QueueAction {

	/** Jobs are enqueued, but none is fetched any more. */
	PAUSE,

	/** Jobs are fetched again. */
	RESUME,

	/** Delayed jobs are due now. */
	PERFORM_NOW,

	/** Dead jobs are enqueued again. */
	RE_ENQUEUE,

	/** This node doesn't serve the queue any more; others do. */
	STOP,

	/** This node serves the queue again. */
	START,

	/** Jobs of schedules are enqueued for this moment. */
	RUN_SCHEDULE,

	/** Schedules give no jobs any more. */
	PAUSE_SCHEDULE,

	/** Schedules continue with their next times. */
	RESUME_SCHEDULE;

	/** Whether it is about this node only, and not about jobs. */
	boolean isOfNode() {
		return this == STOP || this == START;
	}

	/** Whether it is done to schedules. */
	boolean isOfSchedules() {
		return this == RUN_SCHEDULE || this == PAUSE_SCHEDULE || this == RESUME_SCHEDULE;
	}

	/** The same for an admin. */
	AdminAction of(boolean all) {
		return switch (this) {
			case PAUSE -> AdminAction.PAUSE;
			case RESUME -> AdminAction.RESUME;
			case PERFORM_NOW -> all ? AdminAction.PERFORM_ALL_NOW : AdminAction.PERFORM_NOW;
			case STOP, START -> throw new IllegalStateException(this + " is not for an admin");
			case RE_ENQUEUE -> all ? AdminAction.RE_ENQUEUE_ALL_DEAD : AdminAction.RE_ENQUEUE;
			case RUN_SCHEDULE, PAUSE_SCHEDULE, RESUME_SCHEDULE ->
				throw new IllegalStateException("%s is done to schedules".formatted(this));
		};
	}

}
