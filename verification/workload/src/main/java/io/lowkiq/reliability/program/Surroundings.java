package io.lowkiq.reliability.program;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** The clock, the random numbers and the end of a tested process. Thread-safe. */
public interface Surroundings {

	/** The surroundings of a real process. */
	Surroundings REAL = new Surroundings() {

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public RandomGenerator random() {
			return ThreadLocalRandom.current();
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			TimeUnit.NANOSECONDS.sleep(nanos);
		}

		@Override
		public void halt() {
			Runtime.getRuntime().halt(137);
		}
	};

	/**
	 * The time.
	 * @return nanoseconds of the monotonic clock
	 */
	long nanoTime();

	/** The random numbers. */
	RandomGenerator random();

	/**
	 * Waits.
	 * @param nanos for how long; not at all if below zero
	 */
	void sleep(long nanos) throws InterruptedException;

	/**
	 * Ends the process at once, as a crash does. The thread of a simulated process
	 * continues, without effect.
	 */
	void halt();

}
