package io.lowkiq.dashboard;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What people can do to a queue.
 */
enum QueueAction {

	PERFORM_ALL_NOW(false, "made due now"),

	RELEASE_ALL(false, "released"),

	KILL_ALL_FAILED(false, "moved to the morgue"),

	DELETE_ALL_FAILED(false, "deleted"),

	RE_ENQUEUE_ALL_DEAD(false, "enqueued again from the morgue"),

	DELETE_ALL_DEAD(false, "deleted from the morgue"),

	PERFORM_NOW(true, "made due now"),

	RELEASE(true, "released"),

	KILL(true, "moved to the morgue"),

	DELETE(true, "deleted"),

	RE_ENQUEUE(true, "enqueued again from the morgue"),

	DELETE_DEAD(true, "deleted from the morgue"),

	PAUSE(false, "paused"),

	RESUME(false, "resumed");

	private final boolean named;

	private final String done;

	QueueAction(boolean named, String done) {
		this.named = named;
		this.done = done;
	}

	/**
	 * Whether it concerns named ids, not all jobs of a kind.
	 */
	boolean isNamed() {
		return this.named;
	}

	/**
	 * Whether it concerns shards, not jobs.
	 */
	boolean isSwitch() {
		return this == PAUSE || this == RESUME;
	}

	/**
	 * The name as the API has it, such as {@code kill-all-failed}.
	 */
	String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	String summary(String queue, long changed) {
		if (isSwitch()) {
			return "Queue %s was %s.".formatted(queue, this.done);
		}
		return (changed == 1) ? "1 job was %s.".formatted(this.done)
				: "%,d jobs were %s.".formatted(changed, this.done);
	}

	static Optional<QueueAction> of(String label) {
		return Arrays.stream(values()).filter((action) -> action.label().equals(label)).findFirst();
	}

}
