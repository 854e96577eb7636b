package io.lowkiq.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where one thread waits until a time has passed or it is signalled. A signal that comes
 * while the thread doesn't wait ends its next wait at once, so none is lost.
 */
final class Waiter {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** Guarded by the lock. */
	private boolean signalled;

	/** Ends the present wait, or the next one. */
	void signal() {
		this.lock.lock();
		try {
			this.signalled = true;
			this.changed.signal();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits.
	 * @param nanos how long to wait at most; not at all if 0 or less
	 * @return whether it was signalled
	 * @throws InterruptedException if the thread was interrupted
	 */
	boolean await(long nanos) throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			long left = nanos;
			while (!this.signalled && left > 0) {
				left = this.changed.awaitNanos(left);
			}
			boolean result = this.signalled;
			this.signalled = false;
			return result;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Waits and takes an interruption for a signal. */
	void awaitOrInterrupt(long time, TimeUnit unit) {
		try {
			await(unit.toNanos(time));
		}
		catch (InterruptedException ex) {
			// Whoever interrupts has set a flag that the caller's loop reads
		}
	}

}
