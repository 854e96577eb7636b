package io.lowkiq.store;

import java.util.Set;

/**
 * The groups that wait in a shard, after a fetch in turn.
 *
 * @param undistributed whether jobs have come that are not with their groups yet: the
 * owner is to call again at once, also if it wants no job
 * @param any whether jobs of any group wait, so that the next fetch needs
 * {@link GroupTurns}
 * @param full the groups with waiting jobs of which the node performs as many as it may
 */
public record WaitingGroups(boolean undistributed, boolean any, Set<String> full) {

	/** No group waits. */
	public static final WaitingGroups NONE = new WaitingGroups(false, false, Set.of());

	/** Groups wait; nothing else is known of them. */
	public static final WaitingGroups SOME = new WaitingGroups(false, true, Set.of());

	public WaitingGroups {
		full = Set.copyOf(full);
	}

}
