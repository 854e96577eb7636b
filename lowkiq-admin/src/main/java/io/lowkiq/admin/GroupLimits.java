package io.lowkiq.admin;

import io.lowkiq.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The limits and the weight of a group, for
 * {@link LowkiqAdmin#limitGroups(String, java.util.Map)}. A part that is null is that of
 * the application.
 *
 * @param concurrency the maximum number of jobs of the group that run at a time over all
 * nodes, 1 to {@value RateLimit#MAX}
 * @param rate how many runs of the group may begin in a time over all nodes, in whole
 * milliseconds
 * @param weight the weight of the group in the threads of a node, 1 to 1,000
 */
public record GroupLimits(@Nullable Integer concurrency, @Nullable RateLimit rate, @Nullable Integer weight) {

	/** The limits of the application. */
	public static final GroupLimits NONE = new GroupLimits(null, null, null);

}
