package io.lowkiq.engine.runtime;

import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The time, the threads, the waits and the random numbers of a server. Everything in the
 * engine that depends on one of them goes through this interface. Thread-safe.
 */
public interface EngineRuntime {

	/**
	 * The time of the monotonic clock, by which leases and deadlines go.
	 * @return nanoseconds since an arbitrary moment; never goes back
	 */
	long nanoTime();

	/** Creates a place where a thread waits. */
	Waiter newWaiter();

	/**
	 * Makes a thread for a loop of the engine.
	 * @param name the thread's name
	 * @param daemon whether the JVM may end while the thread runs
	 * @return the thread, not started
	 */
	Thread newThread(String name, boolean daemon, Runnable loop);

	/**
	 * Starts a thread for a loop of the engine.
	 * @param name the thread's name
	 * @param daemon whether the JVM may end while the thread runs
	 * @return the started thread
	 */
	default Thread start(String name, boolean daemon, Runnable loop) {
		Thread thread = newThread(name, daemon, loop);
		thread.start();
		return thread;
	}

	/**
	 * Waits for the end of a thread, whatever interrupts the calling one.
	 * @param thread the thread
	 * @param nanos the maximum time to wait
	 */
	boolean join(Thread thread, long nanos);

	/**
	 * The random numbers.
	 * @return numbers for the calling thread, to be used at once
	 */
	RandomGenerator random();

	/** Makes an id that no other node makes. */
	UUID newId();

	/**
	 * A point at which the calling thread, which holds no lock, may be overtaken by
	 * others: before the state is changed, and around each call of the store. Does
	 * nothing where threads run at the same time.
	 */
	default void mayBeOvertaken() {
	}

}
