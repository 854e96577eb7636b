package io.lowkiq.engine.lease;

import java.util.function.LongSupplier;

import io.lowkiq.engine.runtime.EngineRuntime;

/**
 * A node's session as the node itself sees it: good until a moment of the monotonic
 * clock, counted from before the last heartbeat but one was sent. A session that has
 * ended, or whose time has run out, is never used again.
 */
public final class Session {

	private final String id;

	private final LongSupplier nanoTime;

	/** Written by the heartbeat under the monitor, read by all. */
	private volatile long validUntil;

	/** Written once under the monitor, read by all. */
	private volatile boolean ended;

	public Session(String id, long validUntil, LongSupplier nanoTime) {
		this.id = id;
		this.validUntil = validUntil;
		this.nanoTime = nanoTime;
	}

	/** Creates the family of the sessions of a run. */
	public static String newFamily(EngineRuntime runtime) {
		return runtime.newId().toString().replace("-", "");
	}

	/** The id of one of the sessions that follow each other in a run of a node. */
	static String id(String family, int number) {
		return family + "-" + number;
	}

	/** The part of a session's id that it shares with the other sessions of its run. */
	static String family(String id) {
		int end = id.lastIndexOf('-');
		return (end < 0) ? id : id.substring(0, end);
	}

	public String id() {
		return this.id;
	}

	/** Whether the node may rely on its leases at this moment. */
	public boolean isValid() {
		return !this.ended && nanosLeft() > 0;
	}

	/** How long the session lasts without another heartbeat. */
	long nanosLeft() {
		return this.validUntil - this.nanoTime.getAsLong();
	}

	synchronized boolean renew(long until) {
		if (!isValid()) {
			return false;
		}
		this.validUntil = until;
		return true;
	}

	public synchronized boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

}
