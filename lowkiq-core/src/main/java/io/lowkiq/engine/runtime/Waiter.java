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
	 * Waits. An interrupt ends the wait, too, and clears the thread's interrupt flag.
	 * @param nanos the maximum time to wait; 0 or less not to wait
	 */
	boolean await(long nanos);

	/**
	 * Waits until it is signalled, whatever interrupts the thread, which keeps its
	 * interrupt flag.
	 */
	void awaitUninterruptibly();

	/**
	 * Waits whatever interrupts the thread, which keeps its interrupt flag.
	 * @param nanos the maximum time to wait; 0 or less not to wait
	 */
	boolean awaitUninterruptibly(long nanos);

}
