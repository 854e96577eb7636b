package io.lowkiq.engine.runtime;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Blocks the waiting thread. */
final class BlockingWaiter implements Waiter {

	/** Has permits if there was a signal since the last wait. */
	private final Semaphore signals = new Semaphore(0);

	@Override
	public void signal() {
		this.signals.release();
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
		this.signals.acquireUninterruptibly();
		this.signals.drainPermits();
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

	/** All signals before the wait are one. */
	private boolean awaitSignal(long nanos) throws InterruptedException {
		if (!this.signals.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
			return false;
		}
		this.signals.drainPermits();
		return true;
	}

}
