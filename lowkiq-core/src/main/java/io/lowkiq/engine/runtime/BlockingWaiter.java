package io.lowkiq.engine.runtime;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Blocks the waiting thread.
 */
final class BlockingWaiter implements Waiter {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** Guarded by the lock. */
	private boolean signalled;

	@Override
	public void signal() {
		this.lock.lock();
		try {
			this.signalled = true;
			this.changed.signal();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean await(long nanos) {
		try {
			return awaitSignal(nanos);
		}
		catch (InterruptedException ex) {
			// Whoever interrupts has set a flag that the caller's loop reads
			return false;
		}
	}

	@Override
	public void awaitUninterruptibly() {
		this.lock.lock();
		try {
			while (!this.signalled) {
				this.changed.awaitUninterruptibly();
			}
			this.signalled = false;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean awaitUninterruptibly(long nanos) {
		long begin = System.nanoTime();
		boolean interrupted = Thread.interrupted();
		try {
			while (true) {
				try {
					return awaitSignal(nanos - (System.nanoTime() - begin));
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean awaitSignal(long nanos) throws InterruptedException {
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

}
