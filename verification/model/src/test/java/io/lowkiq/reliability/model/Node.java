package io.lowkiq.reliability.model;

/**
 * A node of the model. Changed only by the {@link World} that it belongs to. Sets of
 * payloads are bits.
 */
final class Node implements Cloneable {

	Phase phase = Phase.FREE;

	/** Its session, or {@link World#NONE}. */
	int session = World.NONE;

	/** The ticks that its session surely lasts. */
	int valid;

	/** The ticks that it surely lasts if the last answered heartbeat counts, too. */
	int validByLast;

	/** The age in ticks of its heartbeat under way, or {@link World#NONE}. */
	int beat = World.NONE;

	/** Whether the registry got that heartbeat and the answer is under way. */
	boolean beatCounted;

	/** The epoch of its lease, 0 without one. */
	int epoch;

	/** The number of its last call. */
	int sequence;

	/** Fetched and not begun. */
	int waiting;

	/** Those of them that a call without an answer names as returned. */
	int returning;

	/** Fetched under an older lease, and kept by mistake. */
	int leftover;

	int performing;

	/** Performed, and the store does not know it. */
	int done;

	/** Failed, and the store does not know it. */
	int failed;

	/** Being performed under an older lease of the same session. */
	int old;

	/** Being performed under an earlier session. */
	int past;

	/** The session that it watches, or {@link World#NONE}. */
	int watched = World.NONE;

	/** The counter that it saw, {@link World#UNKNOWN} of an unknown session. */
	int seen;

	/** How many ticks ago it saw it. */
	int watchedFor;

	/** Whether it asked for the counter and has not seen it yet. */
	boolean looking;

	/** Whether the shard is to be another node's. */
	boolean elsewhere;

	/** Whether another node was refused because this one holds the shard. */
	boolean told;

	/** What a node is at. */
	enum Phase {

		DOWN,

		/** It waits for no answer. */
		FREE,

		/** It waits for an answer. */
		CALLING,

		/** It gave up waiting for an answer, and has to acquire its lease again. */
		UNCERTAIN,

		/** The store does not agree with it, and it has to acquire its lease again. */
		OUT_OF_STEP

	}

	Node copy() {
		try {
			return (Node) clone();
		}
		catch (CloneNotSupportedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Everything that the store counts as busy for this node. */
	int busy() {
		return this.waiting | this.performing | this.done | this.failed;
	}

	int running() {
		return this.performing | this.old | this.past;
	}

	/** Holds no lease any more; running performs go on. */
	void loseLease() {
		this.phase = Phase.FREE;
		this.old |= this.performing;
		this.epoch = 0;
		this.sequence = 0;
		this.waiting = 0;
		this.returning = 0;
		this.performing = 0;
		this.done = 0;
		this.failed = 0;
		this.told = false;
	}

	/** Knows of no session any more. */
	void loseSession() {
		loseLease();
		this.past |= this.old;
		this.old = 0;
		this.session = World.NONE;
		this.valid = 0;
		this.validByLast = 0;
		this.beat = World.NONE;
		this.beatCounted = false;
	}

	/** Hears that a heartbeat was counted, which was sent so long before it ends. */
	void hearsHeld(int ticks, boolean countsFromTheOneBefore) {
		this.beat = World.NONE;
		this.beatCounted = false;
		if (countsFromTheOneBefore) {
			this.valid = Math.max(this.valid, this.validByLast);
			this.validByLast = ticks;
		}
		else {
			this.valid = Math.max(this.valid, ticks);
		}
	}

	void tick(int lease) {
		this.valid = Math.max(0, this.valid - 1);
		this.validByLast = Math.max(0, this.validByLast - 1);
		if (this.beat != World.NONE && ++this.beat == lease) {
			this.beat = World.NONE;
			this.beatCounted = false;
		}
		if (this.watched != World.NONE) {
			this.watchedFor = Math.min(lease, this.watchedFor + 1);
		}
	}

	void append(StringBuilder text) {
		World.add(text, this.phase.ordinal(), this.valid, this.validByLast, this.beat + 1, this.beatCounted ? 1 : 0,
				this.epoch, this.sequence, this.waiting, this.returning, this.leftover, this.performing, this.done,
				this.failed, this.old, this.past, (this.watched == World.NONE) ? 0 : this.seen, this.watchedFor,
				this.looking ? 1 : 0, (this.elsewhere ? 1 : 0) + (this.told ? 2 : 0));
	}

}
