package io.lowkiq.engine.perform;

import java.util.List;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.store.Outcome;

/**
 * A job that is no longer under way.
 *
 * @param id the job's id
 * @param outcomes what became of it, in the order in which the store applies it; at least
 * one, after which the job is not busy
 */
public record Completed(String id, List<Outcome> outcomes) {

	/**
	 * Reports what went to the morgue, now that the store has applied the outcomes.
	 * @param observer the observer
	 * @param queue the queue's name
	 */
	public void report(LowkiqObserver observer, String queue) {
		for (Outcome outcome : this.outcomes) {
			if (outcome instanceof Outcome.Part part && !part.dead().isEmpty()) {
				observer.buried(queue, this.id, part.dead().size(), part.error());
			}
		}
	}

	/**
	 * How many payloads these outcomes send to the morgue.
	 * @return the number
	 */
	public int buried() {
		int buried = 0;
		for (Outcome outcome : this.outcomes) {
			if (outcome instanceof Outcome.Part part) {
				buried += part.dead().size();
			}
		}
		return buried;
	}

}
