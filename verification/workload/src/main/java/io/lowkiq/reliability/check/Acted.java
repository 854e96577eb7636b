package io.lowkiq.reliability.check;

import io.lowkiq.reliability.history.Event.Action;

/**
 * An action of an operator.
 *
 * @param id the job's id; {@code *} for all of the queue
 * @param called just before the call
 * @param returned just after it was done; {@link Long#MAX_VALUE} if never
 */
record Acted(Action action, String queue, String id, long called, long returned) {

	boolean touches(long from, long to) {
		return this.called <= to && this.returned >= from;
	}

}
