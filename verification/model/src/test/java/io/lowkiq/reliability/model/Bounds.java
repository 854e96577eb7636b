package io.lowkiq.reliability.model;

/**
 * How large the world of the model is, and how much goes wrong in it. What is not bounded
 * here can happen any number of times: a node stands still while time passes, a heartbeat
 * is late or lost, a session ends, a node releases the shard or leaves.
 *
 * @param crashes how often a node is killed
 * @param timeouts how often a call is given up: lost, or applied later
 * @param repeats how often the client library sends a call again that was applied
 * @param failover what is forgotten, once
 * @param slowHeartbeats whether time may pass while a heartbeat is under way, and its
 * answer may be lost. Without that it is answered at once or not sent; a slow one only
 * gives a node less time
 * @param timePasses whether time passes, so that sessions end
 * @param jobsComeBack whether jobs fail, or are returned before they have begun
 */
record Bounds(int nodes, int first, int second, int crashes, int timeouts, int repeats, Failover failover,
		boolean slowHeartbeats, boolean timePasses, boolean jobsComeBack) {

	/** What a failover to a replica that lags behind makes Redis forget. */
	enum Failover {

		/** There is none. */
		NONE,

		/** The registry forgets that a session has ended, or that one has joined. */
		OF_SESSIONS,

		/** The registry forgets a heartbeat. */
		OF_A_HEARTBEAT,

		/**
		 * The shard goes back to an earlier state. Calls that were given up before may
		 * still come.
		 */
		OF_THE_SHARD,

		/**
		 * The same, and the clock is set back so unluckily that an epoch that was given
		 * and forgotten is given again.
		 */
		OF_THE_SHARD_AND_AN_EPOCH;

		boolean ofTheShard() {
			return this == OF_THE_SHARD || this == OF_THE_SHARD_AND_AN_EPOCH;
		}

	}

	static Bounds nodes(int nodes, int first, int second) {
		return new Bounds(nodes, first, second, 0, 0, 0, Failover.NONE, false, true, true);
	}

	Bounds crashes(int number) {
		return new Bounds(this.nodes, this.first, this.second, number, this.timeouts, this.repeats, this.failover,
				this.slowHeartbeats, this.timePasses, this.jobsComeBack);
	}

	Bounds timeouts(int number) {
		return new Bounds(this.nodes, this.first, this.second, this.crashes, number, this.repeats, this.failover,
				this.slowHeartbeats, this.timePasses, this.jobsComeBack);
	}

	Bounds repeats(int number) {
		return new Bounds(this.nodes, this.first, this.second, this.crashes, this.timeouts, number, this.failover,
				this.slowHeartbeats, this.timePasses, this.jobsComeBack);
	}

	Bounds failover(Failover what) {
		return new Bounds(this.nodes, this.first, this.second, this.crashes, this.timeouts, this.repeats, what,
				this.slowHeartbeats, this.timePasses, this.jobsComeBack);
	}

	Bounds withSlowHeartbeats() {
		return new Bounds(this.nodes, this.first, this.second, this.crashes, this.timeouts, this.repeats, this.failover,
				true, this.timePasses, this.jobsComeBack);
	}

	Bounds withoutTime() {
		return new Bounds(this.nodes, this.first, this.second, this.crashes, this.timeouts, this.repeats, this.failover,
				this.slowHeartbeats, false, this.jobsComeBack);
	}

	Bounds withoutJobsThatComeBack() {
		return new Bounds(this.nodes, this.first, this.second, this.crashes, this.timeouts, this.repeats, this.failover,
				this.slowHeartbeats, this.timePasses, false);
	}

	/** All payloads, as bits: those of the first id, then those of the second. */
	int all() {
		return (1 << (this.first + this.second)) - 1;
	}

	/** All payloads of the ids that some payloads belong to. */
	int idsOf(int payloads) {
		int one = (1 << this.first) - 1;
		int two = all() & ~one;
		return (((payloads & one) != 0) ? one : 0) | (((payloads & two) != 0) ? two : 0);
	}

	/** The ids that some payloads belong to, one by one. */
	int[] eachId(int payloads) {
		int one = idsOf(payloads) & ((1 << this.first) - 1);
		int two = idsOf(payloads) & ~one;
		return (one == 0) ? ((two == 0) ? new int[0] : new int[] { two })
				: ((two == 0) ? new int[] { one } : new int[] { one, two });
	}

	/** The number of ids that some payloads belong to. */
	int count(int payloads) {
		return eachId(payloads).length;
	}

}
