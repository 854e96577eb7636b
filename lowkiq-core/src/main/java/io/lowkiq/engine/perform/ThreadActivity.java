package io.lowkiq.engine.perform;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The activity of a performing thread, for people, and the gate through which other
 * threads interrupt it: while it runs a worker and at no other time. Thread-safe.
 */
public final class ThreadActivity {

	/** The class of the JDK in whose methods a thread stays once it has called exit. */
	private static final String SHUTDOWN = "java.lang.Shutdown";

	/** Written before a thread starts, by the thread that starts it. */
	private volatile String name;

	private final InstantSource clock;

	/** Written by the thread itself, read by all. */
	private volatile Snapshot snapshot;

	/**
	 * Null if no worker runs. Written under the monitor, by the thread itself and by
	 * whoever finds that the worker's time is up; read by all.
	 */
	private volatile @Nullable Running running;

	/** Guarded by the monitor: why the thread was first interrupted. */
	private End end = End.NORMAL;

	/** The activity at a moment; without a shard and ids, the thread waits. */
	public record Snapshot(String name, @Nullable Shard shard, List<String> ids, Instant since) {
	}

	/** A call of a worker that began at a time of the monotonic clock. */
	private record Running(Task task, Thread thread, long since, boolean timedOut) {
	}

	/** How a run has ended. */
	enum End {

		/** Nobody interrupted it. */
		NORMAL,

		/** The server interrupted it because it stops, or because the lease is lost. */
		BROKEN_OFF,

		/** It lasted longer than its worker may take. */
		TIMED_OUT

	}

	/** The activity of a thread that has not begun yet. */
	public ThreadActivity(String name, InstantSource clock) {
		this.name = name;
		this.clock = clock;
		this.snapshot = new Snapshot(name, null, List.of(), clock.instant());
	}

	/** The name of the thread that will start, which its factory may have changed. */
	public void named(String newName) {
		if (!newName.equals(this.name)) {
			this.name = newName;
			show(null, List.of());
		}
	}

	/** The current thread begins to run a worker. */
	void begin(Task task, List<String> ids, long nanos) {
		show(task.lease().shard(), ids);
		synchronized (this) {
			this.end = End.NORMAL;
			this.running = new Running(task, Thread.currentThread(), nanos, false);
		}
	}

	/** Begins the same time for the next payload, if that of the last one was not up. */
	synchronized boolean next(long nanos) {
		Running last = this.running;
		if (last == null || last.timedOut()) {
			return false;
		}
		this.running = new Running(last.task(), last.thread(), nanos, false);
		return true;
	}

	/** Whether the run was interrupted because the server stops, or the lease is lost. */
	synchronized boolean isBrokenOff() {
		return this.end == End.BROKEN_OFF;
	}

	/** From now on nobody interrupts the thread, and its interrupt flag is as before. */
	synchronized End end() {
		this.running = null;
		Thread.interrupted();
		show(null, List.of());
		return this.end;
	}

	/** Interrupts the thread if it runs a worker. */
	public synchronized void interrupt() {
		Running current = this.running;
		if (current != null) {
			interrupt(current, End.BROKEN_OFF);
		}
	}

	private void interrupt(Running current, End reason) {
		this.end = (this.end == End.NORMAL) ? reason : this.end;
		current.thread().interrupt();
	}

	/** Interrupts the thread if it runs a worker for one of these tasks. */
	public synchronized void interrupt(Set<Task> tasks) {
		Running current = this.running;
		if (current != null && tasks.contains(current.task())) {
			interrupt(current, End.BROKEN_OFF);
		}
	}

	/** Interrupts the thread, once, if a call has lasted longer than the nanoseconds. */
	public synchronized void timeOut(Task task, long limit, long nanos) {
		Running current = this.running;
		if (current != null && current.task().equals(task) && !current.timedOut() && nanos - current.since() >= limit) {
			this.running = new Running(task, current.thread(), current.since(), true);
			interrupt(current, End.TIMED_OUT);
		}
	}

	/** Whether the worker runs on though its time is up. Waits for no lock. */
	public boolean isTimedOut(Task task) {
		Running current = this.running;
		return current != null && current.task().equals(task) && current.timedOut();
	}

	/**
	 * How many nanoseconds the call has lasted; 0 if there is none. Waits for no lock.
	 */
	public long lasted(Task task, long nanos) {
		Running current = this.running;
		return (current != null && current.task().equals(task)) ? nanos - current.since() : 0;
	}

	/** Whether the current thread runs the worker. */
	public boolean isOfCurrentThread() {
		Running current = this.running;
		return current != null && current.thread() == Thread.currentThread();
	}

	/**
	 * Whether the run waits for what the current thread is about to do: it is a run of
	 * the current thread, or has called {@link System#exit}, which never returns. Waits
	 * for no lock.
	 */
	public boolean waitsForShutdown() {
		return isOfCurrentThread() || stack().stream().anyMatch((frame) -> frame.getClassName().equals(SHUTDOWN));
	}

	public Snapshot snapshot() {
		return this.snapshot;
	}

	/**
	 * Where the worker is. Costs a pause of its thread, of some 10 µs. Waits for no lock.
	 */
	public List<StackTraceElement> stack() {
		Running before = this.running;
		if (before == null) {
			return List.of();
		}
		List<StackTraceElement> frames = List.of(before.thread().getStackTrace());
		Running after = this.running;
		return (after != null && after.task().equals(before.task())) ? frames : List.of();
	}

	private void show(@Nullable Shard shard, List<String> ids) {
		this.snapshot = new Snapshot(this.name, shard, ids, this.clock.instant());
	}

}
