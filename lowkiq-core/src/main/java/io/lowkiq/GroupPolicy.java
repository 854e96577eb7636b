package io.lowkiq;

import java.util.Map;

/**
 * How the ids of a queue form groups that take turns, such as the customers of a
 * platform. A free thread takes a job of the group that has used the least thread time on
 * its node, divided by the group's weight.
 *
 * @param separator the group of an id is what stands before the first separator in it: 1
 * to {@value #MAX_SEPARATOR} characters; empty for no groups. Ids without it form the
 * group with the empty name
 * @param maxShare the maximum share of one group in the threads of a node, 1 to 100
 * percent; at least one thread
 * @param weights the weights of groups by name, 1 to 1,000; the others have 1
 * @param oneShardPerGroup whether all ids of a group belong to one shard; part of the
 * recorded layout of the queue
 * @param limits how many jobs of each group run at a time, and begin in a time, over all
 * nodes; they need one shard for each group. The group with the empty name has none
 */
public record GroupPolicy(String separator, int maxShare, Map<String, Integer> weights, boolean oneShardPerGroup,
		Limits limits) {

	/** The maximum length of a separator. */
	public static final int MAX_SEPARATOR = 8;

	/** The maximum weight of a group. */
	public static final int MAX_WEIGHT = 1_000;

	/** Ids form no groups. */
	public static final GroupPolicy NONE = new GroupPolicy("", 100, Map.of(), false, Limits.NONE);

	public GroupPolicy {
		weights = Map.copyOf(weights);
	}

	/**
	 * Groups whose ids are spread over all shards.
	 * @param separator what separates the group of an id from the rest
	 * @param maxShare the maximum share of one group in the threads of a node
	 * @param weights the weights of groups by name
	 */
	public GroupPolicy(String separator, int maxShare, Map<String, Integer> weights) {
		this(separator, maxShare, weights, false, Limits.NONE);
	}

	/**
	 * Groups that share all threads evenly.
	 * @param separator what separates the group of an id from the rest
	 */
	public GroupPolicy(String separator) {
		this(separator, 100, Map.of());
	}

	void check(String queue) {
		if (this.separator.length() > MAX_SEPARATOR) {
			throw new InvalidQueueException(
					"group.separator of queue '%s' is '%s'; it stands between the group and the rest of an id, and has up to %s characters, such as ':'"
						.formatted(queue, this.separator, MAX_SEPARATOR));
		}
		if (!isAny() && !equals(NONE)) {
			throw new InvalidQueueException(
					"Queue '%s' has one-shard-per-group or group.*, but no groups; set group.separator to what stands between the group and the rest of an id, such as ':'"
						.formatted(queue));
		}
		if (!this.oneShardPerGroup && !this.limits.equals(Limits.NONE)) {
			throw new InvalidQueueException(
					"Queue '%s' has group.concurrency or group.rate, but the ids of a group are spread over all shards; set one-shard-per-group=true, which only a new queue can have"
						.formatted(queue));
		}
		this.limits.check(queue, "group.", 1);
		RegisteredWorker.Settings.check(queue, "group.max-share", this.maxShare, 1, 100);
		this.weights.forEach((group, weight) -> RegisteredWorker.Settings.check(queue,
				"group.weights.%s".formatted(group), weight, 1, MAX_WEIGHT));
	}

	/**
	 * Whether ids form groups.
	 * @return false if there is no separator
	 */
	public boolean isAny() {
		return !this.separator.isEmpty();
	}

	/**
	 * The group of an id.
	 * @param id the id
	 * @return what stands before the first separator; empty without one
	 */
	public String groupOf(String id) {
		int end = isAny() ? id.indexOf(this.separator) : -1;
		return (end >= 0) ? id.substring(0, end) : "";
	}

	/**
	 * The weight of a group.
	 * @param group the group
	 * @return the weight, at least 1
	 */
	public int weightOf(String group) {
		return this.weights.getOrDefault(group, 1);
	}

}
