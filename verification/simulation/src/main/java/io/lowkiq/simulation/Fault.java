package io.lowkiq.simulation;

import io.lowkiq.reliability.history.FaultKind;

/** A kind of fault that a simulation injects. */
public enum Fault {

	/** A node dies, and another one takes its place later. */
	KILL(FaultKind.KILL, true),

	/** A node stops in order, and another one takes its place. */
	TERMINATE(FaultKind.TERMINATE, true),

	/**
	 * A node stands still, perhaps for longer than a lease. For the checker it got no
	 * processor: its shards move only if that lasts.
	 */
	FREEZE(FaultKind.STALL, true),

	/** Nothing goes through between a node and Redis. */
	CUT(FaultKind.CUT, true),

	/** No call of a node arrives, answers do. */
	CUT_CALLS(FaultKind.CUT, true),

	/** All calls of a node arrive, no answer does. */
	CUT_ANSWERS(FaultKind.LOST_ANSWERS, true),

	/** Some answers to a node are lost. */
	LOSSY(FaultKind.LOST_ANSWERS, true),

	/**
	 * Some calls of a node arrive seconds later, after their callers gave up, and after
	 * calls on newer connections.
	 */
	LATE(FaultKind.LATENCY, true),

	/** Some calls of a node that are safe to repeat arrive twice. */
	TWICE(FaultKind.REPEATED, true),

	/** Redis closes all connections that listen to messages. */
	UNSUBSCRIBE(FaultKind.CLIENT_KILL, false),

	/** Redis forgets all scripts. */
	FORGET_SCRIPTS(FaultKind.SCRIPT_FLUSH, false),

	/** Redis stands still, and then executes what came meanwhile. */
	OUTAGE(FaultKind.OUTAGE, false),

	/** Redis has no memory left. */
	FULL(FaultKind.FULL, false),

	/** The clock of Redis jumps, forwards or back. */
	CLOCK(FaultKind.CLOCK, false),

	/** A replica that lags takes the place of the master. */
	FAILOVER(FaultKind.FAILOVER, false),

	/** Redis loses everything, at most once in a run. */
	EMPTY(FaultKind.EMPTY, false);

	private final FaultKind kind;

	private final boolean ofNode;

	Fault(FaultKind kind, boolean ofNode) {
		this.kind = kind;
		this.ofNode = ofNode;
	}

	FaultKind kind() {
		return this.kind;
	}

	/** Whether it hits one node. */
	boolean isOfNode() {
		return this.ofNode;
	}

}
