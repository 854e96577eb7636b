package io.lowkiq.store;

import java.util.List;

/**
 * How groups take turns in a fetch. Each has an account: the thread time that it has used
 * on the node, divided by its weight. The next job is one of the group with the smallest
 * account; of equal ones, of that which has waited longer. A group that may start none
 * leaves that order until it is named with room.
 *
 * @param separator empty if the queue has no groups any more, and the storage only those
 * of before
 * @param others whether groups that aren't named may start jobs, because no limits apply
 * @param share how many jobs of one group may run on the node; groups that have as many
 * stay in the order
 * @param smallest the smallest account of the groups that can start a job; groups that
 * aren't named have no smaller one
 * @param entry the account of groups that have not waited until now
 * @param charge the thread time that a fetched job is charged, in nanoseconds
 * @param answered the maximum number of groups that the answer names, besides those that
 * have their share
 */
public record GroupTurns(String separator, boolean others, int share, double smallest, double entry, double charge,
		int answered, List<Use> uses) {

	/** Of a queue without groups, to serve what groups of before have left. */
	public static final GroupTurns OF_BEFORE = new GroupTurns("", true, Integer.MAX_VALUE, 0, 0, 1, 1, List.of());

	/**
	 * A group, its weight, at least 1, and how many of its jobs may start by its limits.
	 */
	public record Use(String group, double account, int running, int weight, int room) {
	}

}
