package io.lowkiq.engine.perform;

import java.util.List;

import io.lowkiq.store.Outcome;

/**
 * A job that is no longer under way.
 *
 * @param id the job's id
 * @param outcomes what became of it, in the order in which the store applies it; at least
 * one, after which the job is not busy
 */
public record Completed(String id, List<Outcome> outcomes) {

	static Completed of(Outcome outcome) {
		return new Completed(outcome.id(), List.of(outcome));
	}

	/**
	 * How many payloads these outcomes send to the morgue.
	 * @return the number
	 */
	public int buried() {
		int buried = 0;
		for (Outcome outcome : this.outcomes) {
			if (outcome instanceof Outcome.Reject reject) {
				buried += reject.payloads().size();
			}
			else if (outcome instanceof Outcome.Bury) {
				buried++;
			}
		}
		return buried;
	}

}
