package io.lowkiq.store;

import java.util.List;

/**
 * The jobs of each group of a queue that a node has running, and how many may begin. By
 * this, the storage gives turns to the groups that wait: the next job is one of the group
 * with the fewest running jobs for its weight; of equal ones, of that whose last turn is
 * longest ago. A group that may begin none waits until it is named with room.
 *
 * @param separator what separates the group of an id from the rest; empty if the queue
 * has no groups any more, and the storage has only those of before
 * @param room how many jobs of any group that isn't named may begin
 * @param uses the groups of which the node performs jobs, those with a weight, and those
 * of which not as many may begin as of others
 */
public record GroupTurns(String separator, int room, List<Use> uses) {

	/** Of a queue without groups, to serve what groups of before have left. */
	public static final GroupTurns OF_BEFORE = new GroupTurns("", Integer.MAX_VALUE, List.of());

	/**
	 * A group.
	 *
	 * @param group its name
	 * @param running the number of its jobs that the node performs, or is about to
	 * @param weight its weight, at least 1
	 * @param room how many of its jobs may begin; 0 for none
	 */
	public record Use(String group, int running, int weight, int room) {

		/** A group without limits. */
		public Use(String group, int running, int weight) {
			this(group, running, weight, Integer.MAX_VALUE);
		}
	}

}
