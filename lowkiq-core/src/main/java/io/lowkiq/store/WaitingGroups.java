package io.lowkiq.store;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The groups that wait in a shard, after a fetch in turn.
 *
 * @param undistributed whether jobs have come that are not with their groups yet, or
 * groups that may begin again: the owner is to call again at once, also if it wants no
 * job
 * @param any whether jobs of any group wait, so that the next fetch needs
 * {@link GroupTurns}
 * @param full the groups with waiting jobs that may begin none, as far as the storage has
 * found them
 */
public record WaitingGroups(boolean undistributed, boolean any, Set<String> full) {

	/** No group waits. */
	public static final WaitingGroups NONE = new WaitingGroups(false, false, Set.of());

	/** Groups wait; nothing else is known of them. */
	public static final WaitingGroups SOME = new WaitingGroups(false, true, Set.of());

	public WaitingGroups {
		// In their order, since it is the order in which the owner names them
		full = Collections.unmodifiableSet(new LinkedHashSet<>(full));
	}

}
