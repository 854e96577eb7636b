package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulated process. It runs only while the scheduler has given it the
 * turn.
 */
final class SimulatedThread extends Thread {

	private final Scheduler scheduler;

	private final SimulatedProcess process;

	private final Runnable work;

	private final Semaphore turn = new Semaphore(0);

	private final List<SimulatedWaiter> joining = new ArrayList<>();

	private @Nullable SimulatedWaiter waitsAt;

	private boolean interruptible;

	private boolean over;

	SimulatedThread(Scheduler scheduler, SimulatedProcess process, String name, Runnable work) {
		super(null, work, process.name() + " " + name, 0, false);
		this.scheduler = scheduler;
		this.process = process;
		this.work = work;
		setDaemon(true);
	}

	SimulatedProcess process() {
		return this.process;
	}

	boolean isOver() {
		return this.over;
	}

	@Override
	public synchronized void start() {
		super.start();
		this.process.started(this);
		this.scheduler.ready(this);
	}

	@Override
	public void run() {
		this.turn.acquireUninterruptibly();
		try {
			this.work.run();
		}
		catch (Throwable ex) {
			this.process.failed(this, ex);
		}
		finally {
			this.over = true;
			this.joining.forEach(SimulatedWaiter::signal);
			this.scheduler.giveTurnBack();
		}
	}

	/** Called by the scheduler. */
	void takeTurn() {
		this.turn.release();
	}

	/** Gives the turn back until it comes again. Called by this thread. */
	void pause() {
		this.scheduler.giveTurnBack();
		this.turn.acquireUninterruptibly();
	}

	/** Waits at a waiter until {@link #wake} is called. Called by this thread. */
	void pauseAt(SimulatedWaiter waiter, boolean untilInterrupted) {
		this.waitsAt = waiter;
		this.interruptible = untilInterrupted;
		pause();
	}

	/** Ends a wait at a waiter; returns false if the thread doesn't wait there. */
	boolean wake(SimulatedWaiter waiter) {
		if (this.waitsAt != waiter) {
			return false;
		}
		this.waitsAt = null;
		this.scheduler.ready(this);
		return true;
	}

	@Override
	public void interrupt() {
		super.interrupt();
		SimulatedWaiter waiter = this.waitsAt;
		if (waiter != null && this.interruptible) {
			wake(waiter);
		}
	}

	/** Signals a waiter when this thread has ended. */
	void whenOver(SimulatedWaiter waiter) {
		this.joining.add(waiter);
	}

}
