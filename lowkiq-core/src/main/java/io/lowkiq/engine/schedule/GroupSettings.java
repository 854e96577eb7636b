package io.lowkiq.engine.schedule;

import java.util.HashMap;
import java.util.Map;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import org.jspecify.annotations.Nullable;

/** The settings of the groups of a queue, of the application or of operators. */
public final class GroupSettings {

	private final GroupPolicy policy;

	private final Map<String, GroupOverride> overrides;

	private final boolean limited;

	public GroupSettings(GroupPolicy policy, Map<String, GroupOverride> overrides) {
		this.policy = policy;
		this.overrides = Map.copyOf(overrides);
		this.limited = !policy.limits().equals(Limits.NONE) || (policy.oneShardPerGroup() && !overrides.isEmpty())
				|| overrides.keySet().stream().anyMatch(this::isPaused);
	}

	/** The settings of the application. */
	public GroupPolicy policy() {
		return this.policy;
	}

	public String groupOf(String id) {
		return this.policy.groupOf(id);
	}

	/** Whether the limits of any group may keep a job from its begin. */
	public boolean areLimited() {
		return this.limited;
	}

	/** Whether no job of a group may begin. */
	public boolean isPaused(String group) {
		return of(group).pause() != null;
	}

	/** The groups that are paused. */
	public Map<String, Change<Boolean>> paused() {
		Map<String, Change<Boolean>> paused = new HashMap<>();
		this.overrides.forEach((group, override) -> {
			Change<Boolean> pause = override.pause();
			if (pause != null) {
				paused.put(group, pause);
			}
		});
		return paused;
	}

	/** The maximum number of running jobs; 0 for no limit. */
	public int concurrency(String group) {
		if (group.isEmpty()) {
			return 0;
		}
		Change<Integer> change = this.policy.oneShardPerGroup() ? of(group).concurrency() : null;
		return (change != null) ? change.value() : this.policy.limits().concurrency();
	}

	/** How many runs of a group may begin in a time; null for no limit. */
	public @Nullable RateLimit rate(String group) {
		if (group.isEmpty()) {
			return null;
		}
		Change<RateLimit> change = this.policy.oneShardPerGroup() ? of(group).rate() : null;
		return (change != null) ? change.value() : this.policy.limits().rate();
	}

	int weight(String group) {
		Change<Integer> change = of(group).weight();
		return (change != null) ? change.value() : this.policy.weightOf(group);
	}

	private GroupOverride of(String group) {
		return group.isEmpty() ? GroupOverride.NONE : this.overrides.getOrDefault(group, GroupOverride.NONE);
	}

}
