package io.lowkiq.engine;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.lowkiq.store.Shard;

/**
 * What a shard thread does, for people, and the gate by which others interrupt it: while
 * it runs a worker and at no other time, so that an interruption that comes too late
 * never reaches a call of the store.
 */
final class ThreadActivity {

	/** Written before the thread starts. */
	private volatile String name;

	private final InstantSource clock;

	/** Written by the thread itself, read by all. */
	private volatile ServerStatus.ThreadStatus status;

	/** Guarded by the monitor, as the next two. */
	private @Nullable Thread performing;

	private @Nullable Session session;

	private boolean interrupted;

	ThreadActivity(String name, InstantSource clock) {
		this.name = name;
		this.clock = clock;
		this.status = status(null, List.of());
	}

	/** The thread got another name by its factory. */
	void named(String newName) {
		this.name = newName;
		this.status = status(null, List.of());
	}

	/** The thread takes a shard, or none. */
	void take(@Nullable Shard shard) {
		if (!Objects.equals(shard, this.status.shard())) {
			this.status = status(shard, List.of());
		}
	}

	/** The current thread begins to run a worker. */
	void begin(Session under, Shard shard, List<String> ids) {
		this.status = status(shard, ids);
		synchronized (this) {
			this.performing = Thread.currentThread();
			this.session = under;
			this.interrupted = false;
		}
	}

	/**
	 * The current thread has run a worker. Whatever the worker did to its interrupt flag
	 * is undone.
	 * @return whether the thread was interrupted by {@link #interrupt()}
	 */
	boolean end() {
		ServerStatus.ThreadStatus before = this.status;
		this.status = new ServerStatus.ThreadStatus(this.name, before.shard(), List.of(), before.since());
		synchronized (this) {
			this.performing = null;
			this.session = null;
			Thread.interrupted();
			return this.interrupted;
		}
	}

	/**
	 * Interrupts the thread if it runs a worker.
	 * @return whether it does
	 */
	synchronized boolean interrupt() {
		if (this.performing == null) {
			return false;
		}
		this.interrupted = true;
		this.performing.interrupt();
		return true;
	}

	/** Interrupts the thread if it runs a worker under a session. */
	synchronized void interrupt(Session ended) {
		if (this.session == ended) {
			interrupt();
		}
	}

	ServerStatus.ThreadStatus status() {
		return this.status;
	}

	private ServerStatus.ThreadStatus status(@Nullable Shard shard, List<String> ids) {
		Instant now = this.clock.instant();
		return new ServerStatus.ThreadStatus(this.name, shard, ids, now);
	}

}
