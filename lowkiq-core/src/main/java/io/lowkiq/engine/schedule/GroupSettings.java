package io.lowkiq.engine.schedule;

import java.util.List;
import java.util.Map;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.store.GroupOverride;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the groups of a queue: those of the application, or what operators have
 * set in their place. The group of ids without the separator has no limits. Immutable.
 *
 * @param policy the settings of the application
 * @param overrides what operators have set, by group
 */
public record GroupSettings(GroupPolicy policy, Map<String, GroupOverride> overrides) {

	public GroupSettings {
		overrides = Map.copyOf(overrides);
	}

	/**
	 * The group of an id.
	 * @param id the id
	 * @return its name; empty if the id has no separator
	 */
	public String groupOf(String id) {
		return this.policy.groupOf(id);
	}

	/**
	 * Whether the limits of any group may keep a job from its begin.
	 * @return false if all groups may begin what they have
	 */
	public boolean areLimited() {
		return !this.policy.limits().equals(Limits.NONE)
				|| this.overrides.values().stream().anyMatch((each) -> each.pause() != null)
				|| (this.policy.oneShardPerGroup() && !this.overrides.isEmpty());
	}

	boolean isPaused(String group) {
		return of(group).pause() != null;
	}

	/** The maximum number of running jobs; 0 for no limit. */
	int concurrency(String group) {
		if (group.isEmpty()) {
			return 0;
		}
		GroupOverride.Change<Integer> change = this.policy.oneShardPerGroup() ? of(group).concurrency() : null;
		return (change != null) ? change.value() : this.policy.limits().concurrency();
	}

	/**
	 * How many runs of a group may begin in a time.
	 * @param group the group
	 * @return null for no limit
	 */
	public @Nullable RateLimit rate(String group) {
		if (group.isEmpty()) {
			return null;
		}
		GroupOverride.Change<RateLimit> change = this.policy.oneShardPerGroup() ? of(group).rate() : null;
		return (change != null) ? change.value() : this.policy.limits().rate();
	}

	int weight(String group) {
		GroupOverride.Change<Integer> change = of(group).weight();
		return (change != null) ? change.value() : this.policy.weightOf(group);
	}

	private GroupOverride of(String group) {
		return group.isEmpty() ? GroupOverride.NONE : this.overrides.getOrDefault(group, GroupOverride.NONE);
	}

	/** Some groups for which operators have set something, always the same ones. */
	List<String> withOwn(int most) {
		return this.overrides.keySet().stream().sorted().limit(most).toList();
	}

}
