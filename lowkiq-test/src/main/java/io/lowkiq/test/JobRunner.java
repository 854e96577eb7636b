package io.lowkiq.test;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * Has the jobs of a test performed. Thread-safe.
 */
interface JobRunner {

	/** Begins; called once. */
	void start();

	/**
	 * Returns when no job is due any more.
	 * @param queues of which queues
	 * @return the number of performs
	 */
	long drain(Predicate<String> queues);

	/**
	 * Performs what is due next.
	 * @param queues of which queues
	 * @return whether something was
	 */
	boolean performNext(Predicate<String> queues);

	/**
	 * Moves the clock.
	 * @param duration how far
	 */
	void advance(Duration duration);

	/**
	 * Moves the clock from one job to the next, each performed at its time.
	 * @param duration how far
	 * @return the number of performs
	 */
	long drainFor(Duration duration);

	/**
	 * Sets the clock while nothing is performed, and forgets all that was known of jobs.
	 * @param empty deletes the jobs
	 */
	void reset(Runnable empty);

}
