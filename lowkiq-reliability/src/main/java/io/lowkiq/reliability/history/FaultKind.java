package io.lowkiq.reliability.history;

/**
 * The kinds of faults.
 */
public enum FaultKind {

	/** A process was killed by SIGKILL. */
	KILL(true, false),

	/** A worker killed its own JVM. */
	POISON(true, false),

	/** A process was stopped by SIGSTOP and goes on later. */
	STOP(true, false),

	/** A process was told to end by SIGTERM. */
	TERMINATE(false, false),

	/** Nothing goes through between a process and Redis, connections stay open. */
	HANG(true, true),

	/** The connections between a process and Redis are broken, and no new ones made. */
	CUT(true, true),

	/** What goes between a process and Redis takes longer. */
	LATENCY(true, true),

	/** Redis breaks all connections. */
	CLIENT_KILL(false, true),

	/** Redis answers nobody for a while. */
	CLIENT_PAUSE(false, true),

	/** Redis is killed and started again with what its append-only file holds. */
	RESTART(false, true),

	/** Redis forgets all scripts. */
	SCRIPT_FLUSH(false, false),

	/** A replica takes the place of a master. */
	FAILOVER(false, true);

	private final boolean node;

	private final boolean connection;

	FaultKind(boolean node, boolean connection) {
		this.node = node;
		this.connection = connection;
	}

	/**
	 * Whether the process that is hit may lose its leases.
	 * @return true if so
	 */
	public boolean endsLeases() {
		return this.node;
	}

	/**
	 * Whether answers of Redis may be lost, so that a call is repeated though it was
	 * applied.
	 * @return true if so
	 */
	public boolean losesAnswers() {
		return this.connection;
	}

}
