package io.lowkiq.internal;

import java.util.Arrays;
import java.util.Optional;

/** The queues that Lowkiq keeps for a queue, known by the endings of their names. */
public enum InternalQueue {

	/** The next times of the schedules of a queue. */
	SCHEDULES(".schedules"),

	/**
	 * The records of a source, such as Kafka's, that could not become jobs of a queue.
	 */
	RECORDS(".records");

	private final String suffix;

	InternalQueue(String suffix) {
		this.suffix = suffix;
	}

	/** Recognizes the name of an internal queue. */
	public static Optional<InternalQueue> of(String name) {
		return Arrays.stream(values()).filter((kind) -> kind.isKindOf(name)).findFirst();
	}

	/** The queue for whose sake a queue exists. */
	public static String ownerOf(String name) {
		return of(name).map((kind) -> name.substring(0, name.length() - kind.suffix.length())).orElse(name);
	}

	public String nameFor(String queue) {
		return queue + this.suffix;
	}

	/** Whether a name is that of an internal queue of this kind. */
	public boolean isKindOf(String name) {
		return name.length() > this.suffix.length() && name.endsWith(this.suffix);
	}

	/** The ending of the names of these queues. */
	public String suffix() {
		return this.suffix;
	}

}
