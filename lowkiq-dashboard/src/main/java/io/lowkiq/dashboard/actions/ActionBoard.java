package io.lowkiq.dashboard.actions;

import java.util.List;
import java.util.Optional;

/**
 * Where all nodes see which actions run. Thread-safe.
 */
public interface ActionBoard {

	/** The most runs of a list. */
	int MAX_RUNNING = 100;

	/** Begins an action, unless the same one runs on the queue. */
	ActionStatus begin(ActionStatus status);

	/**
	 * Tells how far a run is, and that it is alive.
	 * @return whether it is to go on; false once somebody cancelled it
	 */
	boolean update(ActionStatus status);

	/** Tells how a run ended. The same action can begin again. */
	void end(ActionStatus status);

	/** Looks a run up. It can be found for an hour after its last step. */
	Optional<ActionStatus> find(String run);

	/**
	 * The actions in progress, on any node. A run that has not reported for a minute is
	 * left out.
	 * @return the runs, at most {@value #MAX_RUNNING}, those that began first
	 */
	List<ActionStatus> running();

	/** Asks a run to stop. */
	void cancel(String run);

}
