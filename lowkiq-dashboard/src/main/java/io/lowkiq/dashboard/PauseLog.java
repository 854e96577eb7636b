package io.lowkiq.dashboard;

import java.util.Optional;

/**
 * Knows who paused a queue.
 */
interface PauseLog {

	/** Nobody knows. */
	PauseLog NONE = (queue) -> Optional.empty();

	/**
	 * The last pause of a queue that somebody caused.
	 * @param queue the queue's name
	 * @return the pause; empty if it is not known any more
	 */
	Optional<Pause> lastPause(String queue);

	/**
	 * A pause.
	 *
	 * @param by who caused it
	 * @param at when, in milliseconds since 1970
	 */
	record Pause(String by, long at) {
	}

}
