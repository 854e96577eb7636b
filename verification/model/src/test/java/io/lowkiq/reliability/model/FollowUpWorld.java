package io.lowkiq.reliability.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * One state of the model of follow-ups: two shards of one Redis, a replica, and the nodes
 * that move follow-ups from one shard to the other; and what can happen next. Follow-ups
 * are bits, the earliest one first.
 * <p>
 * The ownership is in the other model: here, the last node that took the shard has the
 * lease, and a node that lost it moves on without knowing. Epochs are left out, and so is
 * that targets forget.
 *
 * @param replica what a replica has that is cut off; null if none is
 * @param failedOver whether it has taken over
 * @param movers the nodes, in the order in which they took the shard
 * @param next the bit of the next follow-up
 * @param given how many calls were given up
 */
record FollowUpWorld(Set<Rule> rules, Redis redis, @Nullable Redis replica, boolean failedOver, List<Mover> movers,
		List<Call> calls, int next, int given) {

	private static final int FOLLOW_UPS = 3;

	private static final int MOVERS = 2;

	private static final int GIVEN_UP = 1;

	/** What can be taken out. */
	enum Rule {

		/** What is removed is in its target, as the same step sees it. */
		TARGET_LOOKED_AT,

		/** A call names what the target remembered before the follow-ups were read. */
		REMEMBERED_NAMED,

		/** Each read begins with the first one that waits. */
		READ_FROM_THE_FIRST

	}

	/**
	 * The two shards.
	 *
	 * @param completed all follow-ups that were written
	 * @param waiting those in the source
	 * @param arrived those that the target has enqueued
	 * @param last the last one that the target remembers
	 * @param owner the mover that has the lease
	 */
	record Redis(int completed, int waiting, int arrived, int last, boolean twice, int owner) {

		boolean isLost() {
			return (this.completed & ~(this.waiting | this.arrived)) != 0;
		}

	}

	/**
	 * A node that moves.
	 *
	 * @param known the last one that the target remembers, as far as it knows
	 * @param read what it has read and not sent
	 * @param enqueued what is enqueued and not removed
	 * @param after the last one that it has read
	 */
	record Mover(int known, int read, int enqueued, int after, boolean waits) {

		static final Mover NEW = new Mover(0, 0, 0, 0, false);

	}

	/**
	 * A call.
	 *
	 * @param known what it names
	 * @param awaited whether the sender waits for the answer
	 */
	record Call(int mover, int followUps, int known, boolean awaited) {
	}

	/**
	 * Something that can happen.
	 *
	 * @param fault whether the follow-ups have to arrive without it
	 */
	record Step(String what, boolean fault, FollowUpWorld next) {
	}

	static FollowUpWorld begin(Set<Rule> rules) {
		return new FollowUpWorld(rules, new Redis(0, 0, 0, 0, false, 0), null, false, List.of(Mover.NEW), List.of(), 1,
				0);
	}

	boolean isFinished() {
		return this.redis.waiting() == 0 && !this.redis.isLost();
	}

	List<Step> steps() {
		List<Step> steps = new ArrayList<>();
		if (this.next < 1 << FOLLOW_UPS) {
			Redis written = new Redis(this.redis.completed() | this.next, this.redis.waiting() | this.next,
					this.redis.arrived(), this.redis.last(), this.redis.twice(), this.redis.owner());
			steps.add(new Step("a job completes", true, new FollowUpWorld(this.rules, written, this.replica,
					this.failedOver, this.movers, this.calls, this.next << 1, this.given)));
		}
		if (this.replica != null) {
			steps.add(new Step("the replica takes over", true, new FollowUpWorld(this.rules, this.replica, null, true,
					this.movers, this.calls, this.next, this.given)));
		}
		else if (!this.failedOver) {
			steps.add(new Step("the replica is cut off", true, new FollowUpWorld(this.rules, this.redis, this.redis,
					false, this.movers, this.calls, this.next, this.given)));
		}
		if (this.movers.size() < MOVERS && this.replica == null) {
			List<Mover> more = new ArrayList<>(this.movers);
			more.add(Mover.NEW);
			steps.add(new Step("another node takes the shard", true,
					with(owned(this.movers.size()), more, this.calls, this.given)));
		}
		for (int m = 0; m < this.movers.size(); m++) {
			Mover mover = this.movers.get(m);
			if (!mover.waits() && mover.read() == 0) {
				steps.add(new Step("node " + m + " removes and reads", false, read(m, mover)));
			}
			if (!mover.waits() && mover.read() != 0) {
				List<Call> more = new ArrayList<>(this.calls);
				more.add(new Call(m, mover.read(), mover.known(), true));
				Mover waiting = new Mover(mover.known(), 0, mover.enqueued(), mover.after(), true);
				steps.add(new Step("node " + m + " sends", false,
						with(this.redis, replaced(m, waiting), more, this.given)));
			}
		}
		for (Call call : this.calls) {
			callSteps(steps, call);
		}
		return steps;
	}

	private void callSteps(List<Step> steps, Call call) {
		List<Call> others = new ArrayList<>(this.calls);
		others.remove(call);
		boolean isRefused = this.rules.contains(Rule.REMEMBERED_NAMED) && call.known() != this.redis.last();
		Redis applied = isRefused ? this.redis : applied(call);
		Mover mover = this.movers.get(call.mover());
		List<Mover> answered = this.movers;
		if (call.awaited()) {
			answered = replaced(call.mover(),
					isRefused ? new Mover(this.redis.last(), 0, mover.enqueued(), 0, false)
							: new Mover(Math.max(mover.known(), Integer.highestOneBit(call.followUps())), 0,
									mover.enqueued() | call.followUps(), mover.after(), false));
		}
		steps.add(new Step("node " + call.mover() + "'s call arrives", false,
				with(applied, answered, others, this.given)));
		if (call.awaited() && this.given < GIVEN_UP) {
			List<Call> late = new ArrayList<>(others);
			late.add(new Call(call.mover(), call.followUps(), call.known(), false));
			// It begins again
			List<Mover> going = replaced(call.mover(), new Mover(mover.known(), 0, mover.enqueued(), 0, false));
			steps.add(new Step("node " + call.mover() + " gives its call up", true,
					with(this.redis, going, late, this.given + 1)));
		}
	}

	private Redis applied(Call call) {
		int arrived = this.redis.arrived();
		int last = this.redis.last();
		boolean twice = this.redis.twice();
		for (int one = 1; one <= call.followUps(); one <<= 1) {
			if ((call.followUps() & one) != 0 && one > last) {
				twice |= (arrived & one) != 0;
				arrived |= one;
				last = one;
			}
		}
		return new Redis(this.redis.completed(), this.redis.waiting(), arrived, last, twice, this.redis.owner());
	}

	private FollowUpWorld read(int m, Mover mover) {
		if (this.redis.owner() != m) {
			return with(this.redis, replaced(m, new Mover(mover.known(), 0, 0, 0, false)), this.calls, this.given);
		}
		int removed = mover.enqueued();
		if (this.rules.contains(Rule.TARGET_LOOKED_AT)) {
			removed &= upTo(this.redis.last());
		}
		int waiting = this.redis.waiting() & ~removed;
		boolean isForgotten = (mover.enqueued() & waiting) != 0;
		int after = this.rules.contains(Rule.READ_FROM_THE_FIRST) || isForgotten ? 0 : mover.after();
		// A batch is one
		int read = isForgotten ? 0 : Integer.lowestOneBit(waiting & ~upTo(after));
		Redis less = new Redis(this.redis.completed(), waiting, this.redis.arrived(), this.redis.last(),
				this.redis.twice(), this.redis.owner());
		return with(less, replaced(m, new Mover(mover.known(), read, 0, Math.max(after, read), false)), this.calls,
				this.given);
	}

	/** A follow-up and all earlier ones. */
	private static int upTo(int followUp) {
		return Math.max(2 * followUp, 1) - 1;
	}

	private Redis owned(int owner) {
		return new Redis(this.redis.completed(), this.redis.waiting(), this.redis.arrived(), this.redis.last(),
				this.redis.twice(), owner);
	}

	private List<Mover> replaced(int m, Mover mover) {
		List<Mover> all = new ArrayList<>(this.movers);
		all.set(m, mover);
		return all;
	}

	private FollowUpWorld with(Redis server, List<Mover> nodes, List<Call> underWay, int givenUp) {
		return new FollowUpWorld(this.rules, server, this.replica, this.failedOver, nodes, underWay, this.next,
				givenUp);
	}

}
