package io.lowkiq.test;

import java.time.Duration;
import java.util.function.Predicate;

interface JobRunner {

	/** Begins; called once. */
	void start();

	/** Until no job of these queues is due. Returns the number of runs. */
	long drain(Predicate<String> queues);

	boolean performNext(Predicate<String> queues);

	void advance(Duration duration);

	/**
	 * From one job to the next, each performed at its time. Returns the number of runs.
	 */
	long drainFor(Duration duration);

	/** Deletes jobs and sets the clock while nothing is performed. */
	void reset(Runnable empty);

}
