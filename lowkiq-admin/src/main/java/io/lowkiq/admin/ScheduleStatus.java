package io.lowkiq.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A schedule at this moment.
 *
 * @param queue the queue of its jobs
 * @param id its id, which is also that of its jobs
 * @param cron its cron expression
 * @param zone the id of its time zone
 * @param next when its next job is enqueued; null if it is paused, or if that isn't known
 * yet
 * @param last the time of its last job; null if it had none since its first announcement,
 * or since the store has lost its data
 * @param lastResult what has become of its last job
 * @param error the first line of the error of that job; null if it has none
 * @param paused whether it is paused, by itself or with its queue of times
 * @param problem why its next time isn't kept; null if it is
 */
public record ScheduleStatus(String queue, String id, String cron, String zone, @Nullable Instant next,
		@Nullable Instant last, Result lastResult, @Nullable String error, boolean paused, @Nullable String problem) {

	/** The result of a schedule's job. */
	public enum Result {

		/** There was none yet. */
		NONE,

		/** It waits. */
		WAITING,

		/** It is being performed. */
		RUNNING,

		/** It has failed, and waits for its retry. */
		RETRYING,

		/** It is in the morgue. */
		DEAD,

		/** It is gone: it was performed, or somebody has deleted it. */
		DONE

	}

}
