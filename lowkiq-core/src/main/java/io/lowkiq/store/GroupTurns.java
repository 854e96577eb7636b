package io.lowkiq.store;

import java.util.List;

/**
 * The jobs of each group of a queue that a node has running. By this, the storage gives
 * turns to the groups that wait: the next job is one of the group with the fewest running
 * jobs for its weight; of equal ones, of that whose last turn is longest ago.
 *
 * @param separator what separates the group of an id from the rest; empty if the queue
 * has no groups any more, and the storage has only those of before
 * @param most the maximum number of jobs of one group that the node performs
 * @param uses the groups of which the node performs jobs, and those with a weight
 */
public record GroupTurns(String separator, int most, List<Use> uses) {

	/** Of a queue without groups, to serve what groups of before have left. */
	public static final GroupTurns OF_BEFORE = new GroupTurns("", Integer.MAX_VALUE, List.of());

	/**
	 * A group.
	 *
	 * @param group its name
	 * @param running the number of its jobs that the node performs, or is about to
	 * @param weight its weight, at least 1
	 */
	public record Use(String group, int running, int weight) {
	}

}
