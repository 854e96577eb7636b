package io.lowkiq.engine.schedule;

import java.util.LinkedHashSet;
import java.util.Set;

import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.WaitingGroups;
import org.jspecify.annotations.Nullable;

/**
 * The waiting groups of a shard that may begin nothing, as far as the storage has found
 * them: they wait until a fetch names them with room. Paused groups stand apart, because
 * no fetch has to look at them before the settings change. In the order in which they
 * were found. Used by one thread at a time.
 */
public final class FullGroups {

	private final Set<String> unpaused = new LinkedHashSet<>();

	private final Set<String> paused = new LinkedHashSet<>();

	/** The settings by which groups stand apart. */
	private @Nullable GroupSettings settings;

	/**
	 * Notes the answer of a fetch.
	 * @param answer the groups that the storage has found
	 * @param turns the argument of the fetch: the storage has looked at the groups that
	 * had room again; null if it knew of no groups
	 */
	public void note(WaitingGroups answer, @Nullable GroupTurns turns) {
		if (turns == null || !answer.any()) {
			this.unpaused.clear();
			this.paused.clear();
		}
		else {
			turns.uses().stream().filter((use) -> use.room() > 0).map(GroupTurns.Use::group).forEach(this::remove);
		}
		answer.full().stream().filter((group) -> !this.paused.contains(group)).forEach(this.unpaused::add);
	}

	private void remove(String group) {
		this.unpaused.remove(group);
		this.paused.remove(group);
	}

	/**
	 * Whether a group is known to wait until it is named with room.
	 * @param group the group
	 * @return whether it is one of these
	 */
	boolean contains(String group) {
		return this.unpaused.contains(group) || this.paused.contains(group);
	}

	/**
	 * Whether no group waits until it is named with room.
	 * @return true if none is known
	 */
	public boolean isEmpty() {
		return this.unpaused.isEmpty() && this.paused.isEmpty();
	}

	/**
	 * The groups that may have room again.
	 * @param current the settings of the groups
	 * @return those that no operator has paused; not to be changed
	 */
	public Set<String> unpaused(GroupSettings current) {
		if (current != this.settings) {
			this.settings = current;
			this.unpaused.addAll(this.paused);
			this.paused.clear();
		}
		this.unpaused.removeIf((group) -> current.isPaused(group) && this.paused.add(group));
		return this.unpaused;
	}

}
