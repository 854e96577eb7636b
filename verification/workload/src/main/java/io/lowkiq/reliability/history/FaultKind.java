package io.lowkiq.reliability.history;

/** The kinds of faults. */
public enum FaultKind {

	/** A process was killed by SIGKILL. */
	KILL(true, false),

	/** A worker killed its own JVM. */
	POISON(true, false),

	/** A process was stopped by SIGSTOP and continues after a while. */
	STOP(true, false),

	/** A process got no processor for a while, because the machine has other work. */
	STALL(true, false),

	/** A process ends in an orderly way after SIGTERM. */
	TERMINATE(false, false),

	/** Nothing goes through between a process and Redis, connections stay open. */
	HANG(true, true),

	/** The connections between a process and Redis are broken, and no new ones made. */
	CUT(true, true),

	/** Traffic between a process and Redis takes longer. */
	LATENCY(true, true),

	/** Calls of a process arrive at Redis, and no answer comes back. */
	LOST_ANSWERS(true, true),

	/**
	 * Calls of a process that are safe to repeat arrive twice, as when a client connects
	 * again; the first answer may be lost.
	 */
	REPEATED(true, true),

	/** The present connections of a process go dead without a sign; new ones work. */
	SWALLOW(true, true),

	/** The kernel drops all packets of the present connections of a process. */
	DROP(true, true),

	/** Redis breaks all connections. */
	CLIENT_KILL(true, true),

	/** Redis answers nobody for a while. */
	CLIENT_PAUSE(true, true),

	/** Redis answers nobody for longer than a lease, so that all sessions end. */
	OUTAGE(true, true),

	/** Redis is killed and started again with what its append-only file holds. */
	RESTART(true, true),

	/** Redis forgets all scripts. */
	SCRIPT_FLUSH(false, false),

	/** Redis has no memory left for a while. */
	FULL(false, true),

	/** The clock of Redis jumps. */
	CLOCK(false, false),

	/**
	 * The clock of Redis goes back while more jobs of a shard are due than one call looks
	 * at.
	 */
	BACKLOG(false, false),

	/** A replica takes the place of a master, and what it did not have yet is lost. */
	FAILOVER(true, true),

	/** A replica takes the place of a master, and only the last call is lost. */
	LAST_CALL(true, true),

	/** Redis loses everything. */
	EMPTY(true, true),

	/** A slot is moved from one node of the cluster to another, key by key. */
	MOVE(true, true);

	private final boolean outcomes;

	private final boolean answers;

	FaultKind(boolean outcomes, boolean answers) {
		this.outcomes = outcomes;
		this.answers = answers;
	}

	/**
	 * Whether an outcome that is sent while it lasts may not reach the store, or a
	 * heartbeat, so that a lease ends.
	 */
	public boolean losesOutcomes() {
		return this.outcomes;
	}

	/**
	 * Whether answers of Redis may be lost, so that a call is repeated though it was
	 * applied.
	 */
	public boolean losesAnswers() {
		return this.answers;
	}

	/** Whether Redis has lost calls that were answered. */
	public boolean forgets() {
		return this == FAILOVER || this == LAST_CALL || this == EMPTY;
	}

	/** Whether times by Redis' clock and by this machine's may differ afterwards. */
	public boolean movesClock() {
		return this == CLOCK || this == BACKLOG || forgets();
	}

}
