package io.lowkiq.engine.schedule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.GroupPolicy;
import io.lowkiq.store.GroupTurns;

/**
 * The number of running jobs of each group of a queue on a node. Counted anew for each
 * fetch, so that nobody has to give anything back. Used by one thread.
 */
public final class GroupUsage {

	private final GroupPolicy policy;

	/** The maximum number of jobs of one group that may run. */
	private int most;

	private final Map<String, Integer> running = new HashMap<>();

	/**
	 * The usage of a node on which nothing runs.
	 * @param policy how ids form groups
	 * @param jobs the maximum number of jobs that the node performs at a time
	 */
	public GroupUsage(GroupPolicy policy, int jobs) {
		this.policy = policy;
		this.most = (policy.maxShare() < 100) ? (int) Math.max(1, (long) jobs * policy.maxShare() / 100)
				: Integer.MAX_VALUE;
	}

	/**
	 * Counts a job that runs, or is about to.
	 * @param id its id
	 */
	public void add(String id) {
		this.running.merge(this.policy.groupOf(id), 1, Integer::sum);
	}

	/**
	 * Counts jobs that a call under way may bring, of whatever group.
	 * @param jobs their maximum number
	 */
	public void reserve(int jobs) {
		if (this.policy.maxShare() < 100) {
			this.most = Math.max(0, this.most - jobs);
		}
	}

	/**
	 * Whether a group without running jobs may begin one.
	 * @return false if calls under way may bring as many jobs as one group may have
	 */
	public boolean hasRoom() {
		return this.most > 0;
	}

	/**
	 * Whether no further job of a group may begin.
	 * @param group the group
	 * @return whether the node performs as many of its jobs as it may
	 */
	public boolean isFull(String group) {
		return this.running.getOrDefault(group, 0) >= this.most;
	}

	/**
	 * Returns all that the storage has to know to give turns to groups.
	 * @return the turns
	 */
	public GroupTurns turns() {
		if (!this.policy.isAny()) {
			return GroupTurns.OF_BEFORE;
		}
		List<GroupTurns.Use> uses = new ArrayList<>();
		this.running.forEach((group, count) -> uses.add(use(group, count)));
		this.policy.weights().keySet().forEach((group) -> {
			if (!this.running.containsKey(group)) {
				uses.add(use(group, 0));
			}
		});
		return new GroupTurns(this.policy.separator(), this.most, uses);
	}

	private GroupTurns.Use use(String group, int count) {
		return new GroupTurns.Use(group, count, this.policy.weightOf(group));
	}

}
