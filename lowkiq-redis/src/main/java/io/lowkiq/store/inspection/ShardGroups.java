package io.lowkiq.store.inspection;

import java.util.List;

/**
 * The groups of shards that have the most ready jobs.
 *
 * @param undivided the number of jobs that their owners have not given to their groups
 * yet, and that were not looked at
 */
public record ShardGroups(List<ShardGroup> groups, long undivided) {

	public ShardGroups {
		groups = List.copyOf(groups);
	}

}
