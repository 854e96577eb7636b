package io.lowkiq.store;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The groups that wait in a shard, after a fetch in turn.
 *
 * @param undistributed whether jobs are not with their groups yet, or groups may start
 * jobs again: the owner is to call again at once, also if it wants no job
 * @param last the largest account in the order, unless a fetch was answered; 0 if there
 * is none
 * @param full the groups with waiting jobs that may start none, as far as the storage
 * knows
 */
public record WaitingGroups(boolean undistributed, boolean any, double last, List<Waiting> first, Set<String> full) {

	public static final WaitingGroups NONE = new WaitingGroups(false, false, 0, List.of(), Set.of());

	/** A group in the order. */
	public record Waiting(String group, double account) {
	}

	public WaitingGroups {
		first = List.copyOf(first);
		// In their order, since it is the order in which the owner names them
		full = Collections.unmodifiableSet(new LinkedHashSet<>(full));
	}

	/** After the lease was given. */
	public static WaitingGroups before(double last) {
		return new WaitingGroups(false, true, last, List.of(), Set.of());
	}

}
