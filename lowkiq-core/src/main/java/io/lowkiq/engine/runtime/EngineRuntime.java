package io.lowkiq.engine.runtime;

import java.util.UUID;
import java.util.random.RandomGenerator;

/** The time, the threads, the waits and the random numbers of a server. Thread-safe. */
public interface EngineRuntime {

	/** Nanoseconds since an arbitrary moment; never goes back. Leases go by it. */
	long nanoTime();

	Waiter newWaiter();

	Thread newThread(String name, boolean daemon, Runnable loop);

	default Thread start(String name, boolean daemon, Runnable loop) {
		Thread thread = newThread(name, daemon, loop);
		thread.start();
		return thread;
	}

	/** Waits for the end of a thread for at most some nanoseconds, without interrupts. */
	boolean join(Thread thread, long nanos);

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
