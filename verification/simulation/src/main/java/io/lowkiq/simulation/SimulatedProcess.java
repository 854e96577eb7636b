package io.lowkiq.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.EventLog;
import io.lowkiq.reliability.program.Surroundings;
import org.jspecify.annotations.Nullable;

/**
 * A process: its threads, its time, its chance, and what it writes down. It can be frozen
 * and killed. The threads of a killed process run to their end, without a network, and
 * leave no trace.
 */
final class SimulatedProcess implements EngineRuntime, Surroundings, EventLog {

	private final String name;

	private final Scheduler scheduler;

	private final RandomGenerator random;

	private final Timeline timeline;

	private final List<Event> history;

	private final List<SimulatedThread> threads = new ArrayList<>();

	private final List<SimulatedThread> held = new ArrayList<>();

	/** The messages that have arrived at the process. */
	private final Deque<Runnable> arrived = new ArrayDeque<>();

	private final SimulatedWaiter arrivals;

	private boolean frozen;

	private boolean gone;

	/** Kills the process when it crashes. */
	private Runnable onHalt = this::kill;

	/** Run by the next thread of the process that may be overtaken. */
	private @Nullable Runnable atNextPoint;

	SimulatedProcess(String name, Scheduler scheduler, RandomGenerator random, Timeline timeline, List<Event> history) {
		this.name = name;
		this.scheduler = scheduler;
		this.random = random;
		this.timeline = timeline;
		this.history = history;
		this.arrivals = new SimulatedWaiter(scheduler);
		start("connection", true, this::receive);
	}

	String name() {
		return this.name;
	}

	private void receive() {
		while (!this.gone || !this.arrived.isEmpty()) {
			Runnable next = this.arrived.poll();
			if (next != null) {
				next.run();
				this.scheduler.mayBeOvertaken();
			}
			else {
				this.arrivals.awaitUninterruptibly();
			}
		}
	}

	/** Runs something on the thread of the connections. */
	void deliver(Runnable delivery) {
		if (this.gone) {
			// The thread may have ended
			delivery.run();
			return;
		}
		this.arrived.add(delivery);
		this.arrivals.signal();
	}

	boolean isFrozen() {
		return this.frozen;
	}

	boolean isGone() {
		return this.gone;
	}

	void freeze() {
		this.frozen = true;
		this.scheduler.freeze(this);
	}

	void thaw() {
		this.frozen = false;
		this.held.forEach(this.scheduler::ready);
		this.held.clear();
	}

	/** Keeps a thread that could continue until the process does. */
	void hold(SimulatedThread thread) {
		this.held.add(thread);
	}

	/** From now on, nothing that the process does has an effect. */
	void kill() {
		this.gone = true;
		thaw();
		this.arrivals.signal();
	}

	/** Sets what kills the process when it crashes. */
	void onHalt(Runnable kills) {
		this.onHalt = kills;
	}

	@Override
	public void halt() {
		if (!this.gone) {
			this.onHalt.run();
		}
	}

	void started(SimulatedThread thread) {
		this.threads.removeIf(SimulatedThread::isOver);
		this.threads.add(thread);
	}

	/** The threads that have not ended. */
	List<SimulatedThread> threads() {
		return this.threads.stream().filter((thread) -> !thread.isOver()).toList();
	}

	void failed(SimulatedThread thread, Throwable problem) {
		if (!this.gone) {
			this.timeline.problem("The thread %s has ended".formatted(thread.getName()), problem);
		}
	}

	void trace(String line) {
		if (!this.gone) {
			this.timeline.add(this.scheduler.now(), this.name + " " + line);
		}
	}

	@Override
	public void write(Event... events) {
		if (this.gone) {
			return;
		}
		for (Event event : events) {
			this.history.add(event);
			this.timeline.add(this.scheduler.now(), this.name, event);
		}
	}

	@Override
	public long nanoTime() {
		return this.scheduler.now();
	}

	@Override
	public Waiter newWaiter() {
		return new SimulatedWaiter(this.scheduler);
	}

	@Override
	public Thread newThread(String threadName, boolean daemon, Runnable loop) {
		return new SimulatedThread(this.scheduler, this, threadName, loop);
	}

	@Override
	public boolean join(Thread thread, long nanos) {
		SimulatedThread joined = (SimulatedThread) thread;
		if (!joined.isOver()) {
			SimulatedWaiter waiter = new SimulatedWaiter(this.scheduler);
			joined.whenOver(waiter);
			waiter.awaitUninterruptibly(nanos);
		}
		return joined.isOver();
	}

	@Override
	public RandomGenerator random() {
		return this.random;
	}

	@Override
	public UUID newId() {
		return new UUID(this.random.nextLong(), this.random.nextLong());
	}

	@Override
	public void mayBeOvertaken() {
		Runnable planned = this.atNextPoint;
		if (planned != null && this.scheduler.current() != null) {
			this.atNextPoint = null;
			planned.run();
			this.scheduler.overtake();
		}
		else {
			this.scheduler.mayBeOvertaken();
		}
	}

	/**
	 * Lets something happen while a thread of the process is between two steps, such as
	 * before a call that it has decided to make.
	 */
	void atNextPoint(Runnable planned) {
		this.atNextPoint = planned;
	}

	@Override
	public void sleep(long nanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		long until = nanoTime() + nanos;
		Waiter waiter = newWaiter();
		for (long left = nanos; left > 0; left = until - nanoTime()) {
			waiter.await(left);
			if (nanoTime() < until) {
				// Nobody signals
				throw new InterruptedException();
			}
		}
	}

}
