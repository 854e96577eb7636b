package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of all processes one at a time. While one can go on, the seed decides
 * which; while none can, the time jumps to the next event. Whoever runs, a thread or an
 * event, has all state of the simulation for itself: every hand-over goes through a
 * semaphore.
 */
final class Scheduler {

	/** A thread is overtaken at one in this number of points at which it may be. */
	private static final int OVERTAKEN = 4;

	/**
	 * After so many seconds, a thread that isn't running waits outside the simulation.
	 */
	private static final long PATIENCE = 60;

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	/** With so many steps in a second, a thread does not wait for anything. */
	private static final long MOST_IN_A_SECOND = 200_000;

	private final RandomGenerator random;

	private final Timeline timeline;

	private final PriorityQueue<Timed> events = new PriorityQueue<>();

	private final List<SimulatedThread> ready = new ArrayList<>();

	private final Semaphore turn = new Semaphore(0);

	private @Nullable SimulatedThread current;

	private long now = SECOND;

	/** When the present second of steps began, and with what step. */
	private long second = SECOND;

	private long firstStep;

	private long number;

	/**
	 * Something that happens at a time.
	 *
	 * @param tie decides among events of one time
	 * @param number the order in which they were made
	 */
	private record Timed(long at, int tie, long number, Runnable action) implements Comparable<Timed> {

		@Override
		public int compareTo(Timed other) {
			int order = Long.compare(this.at, other.at);
			order = (order != 0) ? order : Integer.compare(this.tie, other.tie);
			return (order != 0) ? order : Long.compare(this.number, other.number);
		}

	}

	Scheduler(RandomGenerator random, Timeline timeline) {
		this.random = random;
		this.timeline = timeline;
	}

	/** The virtual time. */
	long now() {
		return this.now;
	}

	/** Lets something happen after a time. */
	void in(long nanos, Runnable action) {
		this.events.add(new Timed(this.now + Math.max(0, nanos), this.random.nextInt(), this.number++, action));
	}

	/** A thread can continue. */
	void ready(SimulatedThread thread) {
		if (thread.process().isFrozen()) {
			thread.process().hold(thread);
		}
		else {
			this.ready.add(thread);
		}
	}

	/** Takes the threads of a process out of turn. */
	void freeze(SimulatedProcess process) {
		this.ready.stream().filter((thread) -> thread.process() == process).forEach(process::hold);
		this.ready.removeIf((thread) -> thread.process() == process);
	}

	/** Runs until a time, or until there is nothing to do. */
	boolean runUntil(long until) {
		while (true) {
			if (this.timeline.isOver()) {
				return false;
			}
			if (isBusyWaiting()) {
				this.timeline.problem("BUSY_WAITING", new IllegalStateException("A thread waits for nothing"));
				return false;
			}
			if (!this.ready.isEmpty()) {
				SimulatedThread next = this.ready.remove(this.random.nextInt(this.ready.size()));
				this.timeline.step();
				this.current = next;
				next.takeTurn();
				awaitTurn(next);
				this.current = null;
				continue;
			}
			Timed event = this.events.peek();
			if (event == null || event.at() > until) {
				this.now = Math.max(this.now, until);
				return true;
			}
			this.events.poll();
			this.now = Math.max(this.now, event.at());
			this.timeline.step();
			event.action().run();
		}
	}

	private boolean isBusyWaiting() {
		if (this.now - this.second > SECOND) {
			this.second = this.now;
			this.firstStep = this.timeline.steps();
		}
		return this.timeline.steps() - this.firstStep > MOST_IN_A_SECOND;
	}

	private void awaitTurn(SimulatedThread thread) {
		try {
			while (!this.turn.tryAcquire(PATIENCE, TimeUnit.SECONDS)) {
				if (thread.getState() == Thread.State.RUNNABLE) {
					continue;
				}
				IllegalStateException problem = new IllegalStateException(
						"The thread %s has waited outside of the simulation".formatted(thread.getName()));
				problem.setStackTrace(thread.getStackTrace());
				throw problem;
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The running thread gives its turn back. */
	void giveTurnBack() {
		this.turn.release();
	}

	/** The calling thread, if it is one of the simulation and runs. */
	@Nullable SimulatedThread current() {
		return (this.current == Thread.currentThread()) ? this.current : null;
	}

	/** Lets others go first, if the seed wants it. */
	void mayBeOvertaken() {
		if (this.random.nextInt(OVERTAKEN) == 0) {
			overtake();
		}
	}

	/** Lets others go first. */
	void overtake() {
		SimulatedThread thread = current();
		if (thread != null) {
			ready(thread);
			thread.pause();
		}
	}

}
