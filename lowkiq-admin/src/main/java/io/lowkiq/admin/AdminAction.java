package io.lowkiq.admin;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

import io.lowkiq.store.inspection.JobQuery.JobList;

/** The actions of operators on jobs and queues. */
public enum AdminAction {

	/** Makes all jobs due that are delayed, except for those on hold. */
	PERFORM_ALL_NOW(false, "made due now"),

	/** Releases all jobs on hold. */
	RELEASE_ALL(false, "released"),

	/** Moves all jobs that wait for a retry to the morgue; not those on hold. */
	KILL_ALL_FAILED(false, "moved to Dead"),

	/** Deletes all jobs that wait for a retry; not those on hold. */
	DELETE_ALL_FAILED(false, "deleted"),

	/** Enqueues all dead jobs again. */
	RE_ENQUEUE_ALL_DEAD(false, "enqueued again"),

	/** Deletes all dead jobs. */
	DELETE_ALL_DEAD(false, "deleted"),

	/**
	 * Checks all queued jobs, and repairs stranded ones, which nobody would find because
	 * they are not where their entries say: delayed ones, suspects, those behind an id
	 * that is not busy, and ready ones of a shard in which no more than 10,000 wait.
	 */
	REPAIR(false, "repaired"),

	/** Makes the named jobs due, unless they are on hold. */
	PERFORM_NOW(true, "made due now"),

	/** Releases the named jobs on hold. */
	RELEASE(true, "released"),

	/** Puts the named queued jobs on hold, and busy ones when they come back. */
	HOLD(true, "put on hold"),

	/** Moves the named queued jobs to the morgue. */
	KILL(true, "moved to Dead"),

	/** Deletes the named queued jobs. */
	DELETE(true, "deleted"),

	/** Enqueues the named dead jobs again. */
	RE_ENQUEUE(true, "enqueued again"),

	/** Deletes the named dead jobs. */
	DELETE_DEAD(true, "deleted"),

	/** Pauses the queue. */
	PAUSE(false, "paused"),

	/** Resumes the queue. */
	RESUME(false, "resumed"),

	/** Erases all that is kept of the named ids. */
	ERASE(true, "erased"),

	/** Removes the queue, if no node serves it and no job is in it. */
	REMOVE_EMPTY_QUEUE(false, "removed"),

	/** Removes the queue with all its jobs, if no node serves it. */
	REMOVE_QUEUE(false, "removed");

	private final boolean named;

	private final String done;

	AdminAction(boolean named, String done) {
		this.named = named;
		this.done = done;
	}

	/**
	 * Whether it concerns named ids, not all jobs of a kind.
	 * @return whether it does
	 */
	public boolean isNamed() {
		return this.named;
	}

	/**
	 * Whether it can be done to jobs that are selected out of a list: dead jobs are
	 * enqueued again and deleted from the morgue, the others are for queued jobs, and
	 * {@link #ERASE} needs ids.
	 * @param list the list
	 * @return whether it can
	 */
	public boolean takes(JobList list) {
		return switch (this) {
			case RE_ENQUEUE, DELETE_DEAD -> list == JobList.DEAD;
			case PERFORM_NOW, RELEASE, HOLD, KILL, DELETE -> list != JobList.DEAD && list != JobList.BUSY;
			default -> false;
		};
	}

	/**
	 * The name as APIs and logs have it, such as {@code kill-all-failed}.
	 * @return the name
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Says what was done, for people.
	 * @param queue the queue's name
	 * @param changed how many jobs were changed
	 * @return a sentence
	 */
	public String summary(String queue, long changed) {
		if (this == REMOVE_EMPTY_QUEUE || this == REMOVE_QUEUE) {
			return String.format(Locale.ROOT, "Queue %s was removed, with %,d %s.", queue, changed,
					(changed == 1) ? "job" : "jobs");
		}
		if (this == PAUSE || this == RESUME) {
			return "Queue %s was %s.".formatted(queue, this.done);
		}
		return (changed == 1) ? "1 job was %s.".formatted(this.done)
				: String.format(Locale.ROOT, "%,d jobs were %s.", changed, this.done);
	}

	/**
	 * The action with a name.
	 * @param label what {@link #label()} says
	 * @return the action, if there is one
	 */
	public static Optional<AdminAction> of(String label) {
		return Arrays.stream(values()).filter((action) -> action.label().equals(label)).findFirst();
	}

}
