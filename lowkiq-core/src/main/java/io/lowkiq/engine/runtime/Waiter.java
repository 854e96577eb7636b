package io.lowkiq.engine.runtime;

/**
 * A place where a thread waits until a time has passed or it is signalled. A signal that
 * comes while no thread waits ends the next wait at once, so none is lost. If several
 * threads wait, a signal ends the wait of one.
 */
public interface Waiter {

	/** Ends the present wait, or the next one. */
	void signal();

	/**
	 * Waits for some nanoseconds. An interrupt ends it, and the thread's flag is cleared.
	 */
	boolean await(long nanos);

	/** Waits until it is signalled. An interrupt keeps its flag. */
	void awaitUninterruptibly();

	/** Waits for some nanoseconds. An interrupt keeps its flag. */
	boolean awaitUninterruptibly(long nanos);

}
