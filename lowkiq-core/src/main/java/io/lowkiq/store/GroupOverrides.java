package io.lowkiq.store;

import java.util.Map;

/**
 * The settings of a queue's groups by operators. The revision changes with them; empty if
 * nothing was ever set.
 */
public record GroupOverrides(String revision, Map<String, GroupOverride> groups) {

	/** Nothing was ever set. */
	public static final GroupOverrides NONE = new GroupOverrides("", Map.of());

	public GroupOverrides {
		groups = Map.copyOf(groups);
	}

}
