package io.lowkiq.reliability.model;

/**
 * A call under way to the shard. Ids are given by all their payloads.
 *
 * @param epoch the epoch it names; of an acquire: that of the uncertain call
 * @param number its sequence number; of an acquire: that of the uncertain call, or 0
 * @param busy how many jobs are busy as far as the sender knows
 * @param done the ids that were performed
 * @param returned the ids that were fetched and not begun, or that failed
 * @param fetch the ids that are due by the time the call is applied, if they are queued
 * @param from of an acquire: the ended session to take over from, or {@link World#NONE}
 * @param crashed of an acquire: whether that session ended by a crash
 * @param awaited whether the node still waits for the answer
 */
record Call(Kind kind, int node, int session, int epoch, int number, int busy, int done, int returned, int fetch,
		int from, boolean crashed, boolean awaited) {

	/** What a call is. */
	enum Kind {

		COMPLETE_AND_FETCH, RELEASE, ACQUIRE

	}

	Call abandoned() {
		return new Call(this.kind, this.node, this.session, this.epoch, this.number, this.busy, this.done,
				this.returned, this.fetch, this.from, this.crashed, false);
	}

	Call renamed(int newSession, int newEpoch, int newNumber, int newFrom) {
		if (newSession == this.session && newEpoch == this.epoch && newNumber == this.number && newFrom == this.from) {
			return this;
		}
		return new Call(this.kind, this.node, newSession, newEpoch, newNumber, this.busy, this.done, this.returned,
				this.fetch, newFrom, this.crashed, this.awaited);
	}

}
