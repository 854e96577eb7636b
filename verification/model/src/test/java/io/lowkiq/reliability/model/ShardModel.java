package io.lowkiq.reliability.model;

import java.util.Set;

/**
 * The shard of the model: what the store does with calls. Sets of payloads are bits. It
 * has no clock: that a job is not due, whatever the clock says, is in the call.
 */
final class ShardModel {

	private final Bounds bounds;

	private final Set<Rule> rules;

	int owner = World.NONE;

	int epoch;

	int sequence;

	/** Queued, and found by a fetch once it is due. */
	int queued;

	/** Queued while the id was busy: not found by a fetch. */
	int behind;

	int busy;

	/** What the last call fetched. */
	int fetched;

	/** Whether a call under an old epoch changed anything. */
	boolean changedByFenced;

	/** Whether a job was marked though the session that was performing it lives. */
	boolean markedWithoutCrash;

	ShardModel(Bounds bounds, Set<Rule> rules) {
		this.bounds = bounds;
		this.rules = rules;
	}

	private ShardModel(ShardModel other) {
		this.bounds = other.bounds;
		this.rules = other.rules;
		this.owner = other.owner;
		this.epoch = other.epoch;
		this.sequence = other.sequence;
		this.queued = other.queued;
		this.behind = other.behind;
		this.busy = other.busy;
		this.changedByFenced = other.changedByFenced;
		this.markedWithoutCrash = other.markedWithoutCrash;
	}

	/** What the store says. */
	enum Answer {

		FETCHED, FENCED, OUT_OF_STEP, RELEASED, KEPT, RESTORED

	}

	ShardModel copy() {
		return new ShardModel(this);
	}

	int contents() {
		return this.queued | this.behind | this.busy;
	}

	void enqueue(int payload) {
		boolean waits = (this.bounds.idsOf(payload) & this.busy) != 0 && holds(Rule.BUSY_SKIPPED);
		if (waits) {
			this.behind |= payload;
		}
		else {
			this.queued |= payload;
		}
	}

	Answer acquire(Call call, int newEpoch) {
		if (this.owner != World.NONE && this.owner != call.session() && this.owner != call.from()) {
			return Answer.FENCED;
		}
		boolean sameLease = call.epoch() == this.epoch || !holds(Rule.REQUEST_NAMES_EPOCH);
		boolean kept = this.owner == call.session() && call.number() > 0 && sameLease
				&& call.number() == this.sequence + 1;
		if (!kept && holds(Rule.BUSY_RESTORED)) {
			boolean ofTheDead = this.owner == call.from();
			boolean marks = call.crashed() && (ofTheDead || !holds(Rule.ONLY_THE_DEAD_MARK));
			this.markedWithoutCrash |= marks && this.busy != 0 && !ofTheDead;
			putBack(this.busy);
		}
		this.owner = call.session();
		this.epoch = newEpoch;
		this.sequence = 0;
		return kept ? Answer.KEPT : Answer.RESTORED;
	}

	Answer completeAndFetch(Call call) {
		if (isFenced(call)) {
			return Answer.FENCED;
		}
		if (!agrees(call.number(), call.busy())) {
			return Answer.OUT_OF_STEP;
		}
		apply(call);
		this.queued &= ~this.fetched;
		this.busy = (this.busy & ~this.bounds.idsOf(this.fetched)) | this.fetched;
		return Answer.FETCHED;
	}

	boolean agrees(int number, int busyJobs) {
		return (number == this.sequence + 1 || !holds(Rule.SEQUENCE_CHECKED))
				&& (busyJobs == this.bounds.count(this.busy) || !holds(Rule.BUSY_COUNTED));
	}

	Answer release(Call call) {
		if (isFenced(call) || (holds(Rule.RELEASE_NUMBERED) && call.number() <= this.sequence)) {
			return Answer.FENCED;
		}
		apply(call);
		putBack(this.busy);
		this.owner = World.NONE;
		return Answer.RELEASED;
	}

	private boolean isFenced(Call call) {
		return call.session() != this.owner || (holds(Rule.EPOCH_CHECKED) && call.epoch() != this.epoch);
	}

	/** Applies the outcomes; what they put back is not among what is fetched. */
	private void apply(Call call) {
		this.changedByFenced |= call.session() != this.owner || call.epoch() != this.epoch;
		this.sequence = call.number();
		this.fetched = this.queued & call.fetch();
		this.busy &= ~call.done();
		putBack(this.busy & call.returned());
	}

	private void putBack(int jobs) {
		this.queued |= jobs;
		this.busy &= ~jobs;
		if (holds(Rule.BEHIND_RELEASED)) {
			int released = this.behind & ~this.bounds.idsOf(this.busy);
			this.queued |= released;
			this.behind &= ~released;
		}
	}

	private boolean holds(Rule rule) {
		return this.rules.contains(rule);
	}

}
