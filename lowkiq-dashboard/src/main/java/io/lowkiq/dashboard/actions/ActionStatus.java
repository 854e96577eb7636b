package io.lowkiq.dashboard.actions;

import io.lowkiq.dashboard.jobs.JobDocuments;
import org.jspecify.annotations.Nullable;

/**
 * How far an action is.
 *
 * @param startedAt milliseconds since 1970
 * @param changed how many jobs were changed so far
 * @param total about how many there are to change
 * @param message what it did, or why it failed; null while it runs
 * @param selection which jobs it is for; null if for all of a kind, or for named ones
 */
public record ActionStatus(String run, String queue, String action, String user, State state, long startedAt,
		long changed, long total, @Nullable String message, JobDocuments.@Nullable Selection selection) {

	/** How an action stands. */
	public enum State {

		/** It works. */
		RUNNING,

		/** All is done. */
		DONE,

		/** It was stopped by someone; what was done stays done. */
		CANCELLED,

		/**
		 * The store could not be reached; what was done stays done, and it can be run
		 * again.
		 */
		FAILED

	}

	boolean isRunning() {
		return this.state == State.RUNNING;
	}

	ActionStatus progressed(long changed) {
		return new ActionStatus(this.run, this.queue, this.action, this.user, this.state, this.startedAt, changed,
				Math.max(this.total, changed), null, this.selection);
	}

	ActionStatus ended(State state, String message) {
		return new ActionStatus(this.run, this.queue, this.action, this.user, state, this.startedAt, this.changed,
				this.total, message, this.selection);
	}

	ActionStatus sized(long total) {
		return new ActionStatus(this.run, this.queue, this.action, this.user, this.state, this.startedAt, this.changed,
				total, null, this.selection);
	}

}
