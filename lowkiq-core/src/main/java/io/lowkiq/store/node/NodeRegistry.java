package io.lowkiq.store.node;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.Shard;

/**
 * The sessions of the nodes, and which of them is to have which shard. Thread-safe.
 * <p>
 * It lives until it leaves, or until another node has watched its heartbeat counter stand
 * still for the duration of its lease and {@linkplain #end ends} it. A session that has
 * ended never lives again.
 * <p>
 * What a node does here to stay alive works when the store's memory is full, once the
 * node has joined. Every method throws {@link io.lowkiq.StoreException} when it is not
 * certain what happened.
 */
public interface NodeRegistry {

	/**
	 * Begins a session, unless it has ended, and calls {@link WakeUps.Listener#changed()}
	 * of all nodes. Safe to repeat: a session that has begun keeps its place and its
	 * heartbeats.
	 */
	Membership join(String session, NodeInfo info);

	/**
	 * Counts a heartbeat of a session, unless it has ended, and calls
	 * {@link WakeUps.Listener#echo()} of it.
	 */
	Membership beat(String session, NodeInfo info);

	Membership members();

	/**
	 * Ends a session that has died, unless it had other heartbeats than were seen, and
	 * calls {@link WakeUps.Listener#changed()} of all nodes. Its busy jobs count a crash
	 * if {@link SessionWatch#isCrash}, but not if it was stopping.
	 * @return whether the session has ended, by this call or before; false if it is
	 * unknown, too, because it never began or is no longer remembered
	 */
	boolean end(String session, long beats, boolean crashed);

	/** Of shards given back; calls {@link WakeUps.Listener#changed()}. */
	void leave(String session);

	/**
	 * Records an assignment, if its version is the one after the recorded one, and calls
	 * {@link WakeUps.Listener#changed()} of all nodes.
	 */
	boolean assign(Assignment assignment);

	/** The whole assignment, as the node that works out the next one needs it. */
	Assignment assignment();

	/** The part of the assignment that concerns one session. */
	AssignedShards assignedTo(String session);

	/** Records what a node does at the moment, for people. */
	void report(String session, String status);

	/** The reports of the nodes on their activity, for people. */
	Map<String, String> reports();

	/** The last reports of nodes that crashed, for people. */
	Map<String, String> lastReports(Collection<String> sessions);

	/** At most 20 sessions that ended last, the earliest in front. */
	List<EndedNode> endedNodes();

	/**
	 * Records a loss of data. Safe to repeat.
	 * @return whether it is recorded; not if another node has recorded that everything is
	 * forgotten, and this says the same
	 */
	boolean recordForgotten(Forgotten forgotten);

	/** At most 100 losses of data, the largest first, then the latest. */
	List<Forgotten> forgotten();

	/** Milliseconds since 1970 by the clock of the store. */
	long now();

	/** The shards of one session. */
	record AssignedShards(long version, Set<Shard> shards) {

		public AssignedShards {
			shards = Set.copyOf(shards);
		}

	}

}
