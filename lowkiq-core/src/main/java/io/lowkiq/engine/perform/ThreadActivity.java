package io.lowkiq.engine.perform;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * What a performing thread does, for people, and the gate by which others interrupt it:
 * while it runs a worker and at no other time. Thread-safe.
 */
public final class ThreadActivity {

	/** Written before the thread starts. */
	private volatile String name;

	private final InstantSource clock;

	/** Written by the thread itself, read by all. */
	private volatile Snapshot snapshot;

	/** Guarded by the monitor, as the next two. */
	private @Nullable Thread performing;

	private @Nullable Object session;

	private boolean interrupted;

	/**
	 * What the thread does at a moment.
	 *
	 * @param name the thread's name
	 * @param shard the shard whose jobs it performs; null if it waits
	 * @param ids the ids that it performs; empty if it waits
	 * @param since since when
	 */
	public record Snapshot(String name, @Nullable Shard shard, List<String> ids, Instant since) {
	}

	/**
	 * The activity of a thread that has not begun yet.
	 * @param name the thread's name
	 * @param clock the time that people are shown
	 */
	public ThreadActivity(String name, InstantSource clock) {
		this.name = name;
		this.clock = clock;
		this.snapshot = new Snapshot(name, null, List.of(), clock.instant());
	}

	/**
	 * The thread's name, which its factory may have changed.
	 * @param newName the name
	 */
	public void named(String newName) {
		this.name = newName;
		show(null, List.of());
	}

	/** The current thread begins to run a worker. */
	void begin(Object underSession, Shard shard, List<String> ids) {
		show(shard, ids);
		synchronized (this) {
			this.performing = Thread.currentThread();
			this.session = underSession;
			this.interrupted = false;
		}
	}

	/**
	 * The current thread has run a worker. Whatever the worker did to its interrupt flag
	 * is undone.
	 * @return whether the thread was interrupted by {@link #interrupt()}
	 */
	boolean end() {
		synchronized (this) {
			this.performing = null;
			this.session = null;
			Thread.interrupted();
			show(null, List.of());
			return this.interrupted;
		}
	}

	/**
	 * Interrupts the thread if it runs a worker.
	 */
	public synchronized void interrupt() {
		if (this.performing != null) {
			this.interrupted = true;
			this.performing.interrupt();
		}
	}

	/**
	 * Interrupts the thread if it runs a worker under a session.
	 * @param ended the session
	 */
	public synchronized void interrupt(Object ended) {
		if (this.session == ended) {
			interrupt();
		}
	}

	/**
	 * What the thread does now.
	 * @return the snapshot
	 */
	public Snapshot snapshot() {
		return this.snapshot;
	}

	private void show(@Nullable Shard shard, List<String> ids) {
		this.snapshot = new Snapshot(this.name, shard, ids, this.clock.instant());
	}

}
