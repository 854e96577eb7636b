package io.lowkiq.engine.schedule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;

import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.WaitingGroups;
import org.jspecify.annotations.Nullable;

/**
 * The waiting groups of a shard that may begin nothing, as far as the storage has found
 * them: they wait until a fetch names them with room. A fetch looks only at those that
 * may have room again: not at paused ones before the settings change, nor at those that
 * sleep until a time. In the order in which they were found. Used by one thread at a
 * time.
 */
public final class FullGroups {

	private final Set<String> awake = new LinkedHashSet<>();

	/** Until when a group sleeps, in nanoseconds of the monotonic clock. */
	private final Map<String, Long> asleep = new HashMap<>();

	/**
	 * The times of groups that sleep, the next first, and of some that don't any more.
	 */
	private final PriorityQueue<Alarm> alarms = new PriorityQueue<>(
			(one, other) -> Long.signum(one.until() - other.until()));

	private final Set<String> paused = new LinkedHashSet<>();

	/** The settings by which groups are paused or sleep. */
	private @Nullable GroupSettings settings;

	/** The position, among all paused groups of the queue, of the last one returned. */
	private int lastPaused;

	private record Alarm(long until, String group) {
	}

	/**
	 * Notes the answer of a fetch.
	 * @param answer the groups that the storage has found
	 * @param turns the argument of the fetch: the storage has looked at the groups that
	 * had room again; null if it knew of no groups
	 */
	public void note(WaitingGroups answer, @Nullable GroupTurns turns) {
		if (turns == null || !answer.any()) {
			this.awake.clear();
			this.asleep.clear();
			this.alarms.clear();
			this.paused.clear();
		}
		else {
			turns.uses().stream().filter((use) -> use.room() > 0).map(GroupTurns.Use::group).forEach(this::remove);
		}
		answer.full().stream().filter((group) -> !contains(group)).forEach(this.awake::add);
	}

	private void remove(String group) {
		this.awake.remove(group);
		this.asleep.remove(group);
		this.paused.remove(group);
	}

	/**
	 * Whether a group is known to wait until it is named with room.
	 * @param group the group
	 * @return whether it is one of these
	 */
	boolean contains(String group) {
		return this.awake.contains(group) || this.asleep.containsKey(group) || this.paused.contains(group);
	}

	/**
	 * Whether no group waits until it is named with room.
	 * @return true if none is known
	 */
	public boolean isEmpty() {
		return this.awake.isEmpty() && this.asleep.isEmpty() && this.paused.isEmpty();
	}

	/**
	 * The groups that may have room again.
	 * @param current the settings of the groups
	 * @param nanos the present time
	 * @return those that no operator has paused, and that don't sleep; not to be changed
	 */
	Set<String> awake(GroupSettings current, long nanos) {
		if (current != this.settings) {
			this.settings = current;
			this.awake.addAll(this.asleep.keySet());
			this.awake.addAll(this.paused);
			this.asleep.clear();
			this.alarms.clear();
			this.paused.clear();
		}
		while (untilAwake(nanos) <= 0) {
			String group = this.alarms.remove().group();
			this.asleep.remove(group);
			this.awake.add(group);
		}
		this.awake.removeIf((group) -> current.isPaused(group) && this.paused.add(group));
		return this.awake;
	}

	/**
	 * The next paused groups, in turn, that are not known to wait. Their jobs may be
	 * fetched before the storage knows that they wait, and go back.
	 * @param all the paused groups of the queue, sorted
	 * @param most the maximum number
	 * @return the groups
	 */
	List<String> nextPaused(List<String> all, int most) {
		List<String> next = new ArrayList<>();
		for (int i = 0; i < all.size() && next.size() < most; i++) {
			this.lastPaused = (this.lastPaused + 1) % all.size();
			String group = all.get(this.lastPaused);
			if (!contains(group)) {
				next.add(group);
			}
		}
		return next;
	}

	/**
	 * Looks at a group no more before a time.
	 * @param group one that is awake
	 * @param until the time
	 */
	void sleep(String group, long until) {
		this.awake.remove(group);
		this.asleep.put(group, until);
		this.alarms.add(new Alarm(until, group));
	}

	/**
	 * The time until the next group wakes up.
	 * @param nanos the present time
	 * @return nanoseconds; the largest number if none sleeps
	 */
	long untilAwake(long nanos) {
		Alarm next = this.alarms.peek();
		while (next != null && !Objects.equals(this.asleep.get(next.group()), next.until())) {
			this.alarms.remove();
			next = this.alarms.peek();
		}
		return (next != null) ? next.until() - nanos : Long.MAX_VALUE;
	}

}
