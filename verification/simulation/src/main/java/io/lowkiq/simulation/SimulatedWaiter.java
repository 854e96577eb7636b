package io.lowkiq.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

import io.lowkiq.engine.runtime.Waiter;

/** A place where threads wait in virtual time. */
final class SimulatedWaiter implements Waiter {

	private static final long FOR_EVER = Long.MAX_VALUE;

	private final Scheduler scheduler;

	private final Deque<SimulatedThread> waiting = new ArrayDeque<>();

	private boolean signalled;

	SimulatedWaiter(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	@Override
	public void signal() {
		this.signalled = true;
		SimulatedThread first = this.waiting.poll();
		if (first != null) {
			first.wake(this);
		}
	}

	@Override
	public boolean await(long nanos) {
		return !Thread.interrupted() && await(nanos, true);
	}

	@Override
	public void awaitUninterruptibly() {
		while (!await(FOR_EVER, false)) {
			// Another thread took the signal
		}
	}

	@Override
	public boolean awaitUninterruptibly(long nanos) {
		return await(nanos, false);
	}

	private boolean await(long nanos, boolean untilInterrupted) {
		SimulatedThread thread = this.scheduler.current();
		if (thread == null) {
			throw new IllegalStateException("%s waits outside of the simulation".formatted(Thread.currentThread()));
		}
		if (!this.signalled && nanos > 0) {
			this.waiting.add(thread);
			Wait wait = new Wait(thread);
			if (nanos != FOR_EVER) {
				this.scheduler.in(nanos, wait);
			}
			thread.pauseAt(this, untilInterrupted);
			wait.isOver = true;
			this.waiting.remove(thread);
			if (untilInterrupted && Thread.interrupted()) {
				return false;
			}
		}
		boolean result = this.signalled;
		this.signalled = false;
		return result;
	}

	/** Ends a wait when its time is over, unless it has ended before. */
	private final class Wait implements Runnable {

		private final SimulatedThread thread;

		private boolean isOver;

		Wait(SimulatedThread thread) {
			this.thread = thread;
		}

		@Override
		public void run() {
			if (!this.isOver) {
				this.thread.wake(SimulatedWaiter.this);
			}
		}

	}

}
