package io.lowkiq.store;

import java.time.Duration;

/**
 * The sessions of the nodes. A node's leases on all its shards last as long as its
 * session; a session that has ended never lives again, so that what one node has seen of
 * another's end stays true. Thread-safe. Every method throws {@link StoreException} when
 * it is not certain what happened.
 */
public interface NodeRegistry {

	/**
	 * Begins a session, and calls {@link WakeUps.Listener#changed()} of all nodes.
	 * @param session a new, unique id
	 * @param duration how long it lasts without a heartbeat
	 * @param info what the node tells of itself
	 * @return the sessions
	 */
	Membership join(String session, Duration duration, NodeInfo info);

	/**
	 * Prolongs a session by {@code duration} from the registry's now, unless it has
	 * ended, and sends {@link WakeUps.Listener#echo()} to it.
	 * @param session the session's id
	 * @param duration how long it lasts from now
	 * @param info what the node tells of itself
	 * @return the sessions; {@link Membership#held()} is false if this one has ended
	 */
	Membership beat(String session, Duration duration, NodeInfo info);

	/**
	 * Ends a session, and calls {@link WakeUps.Listener#changed()} of all nodes. Its
	 * shards were released before.
	 * @param session the session's id
	 */
	void leave(String session);

	/**
	 * Records an assignment, if its version is the one after the recorded one, and calls
	 * {@link WakeUps.Listener#changed()} of all nodes.
	 * @param assignment the new assignment
	 * @return whether it was recorded
	 */
	boolean assign(Assignment assignment);

	/**
	 * The sessions.
	 * @return the sessions, with {@link Membership#held()} false
	 */
	Membership members();

}
