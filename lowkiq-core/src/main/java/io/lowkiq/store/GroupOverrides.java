package io.lowkiq.store;

import java.util.Map;

/**
 * The settings that operators have made for the groups of a queue.
 *
 * @param revision changes whenever something else does; empty if nothing was ever set
 */
public record GroupOverrides(String revision, Map<String, GroupOverride> groups) {

	/** Nothing was ever set. */
	public static final GroupOverrides NONE = new GroupOverrides("", Map.of());

	public GroupOverrides {
		groups = Map.copyOf(groups);
	}

}
