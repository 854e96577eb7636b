package io.lowkiq.admin;

/** Is notified of the progress of a long action, on the thread that called it. */
@FunctionalInterface
public interface ActionProgress {

	/** Lets actions run to their end. */
	ActionProgress NONE = (changed, total) -> true;

	/**
	 * A step has been made; or none yet, when the action begins.
	 * @param changed how many jobs have been changed so far, or looked at to repair them,
	 * or shards paused
	 * @param total how many there are to change, as far as is known
	 * @return whether to go on. What was done stays done; a queue whose removal is
	 * stopped stays closed
	 */
	boolean shouldContinue(long changed, long total);

}
