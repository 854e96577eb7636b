package io.lowkiq.engine.perform;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.Outcome;

/** A job that is no longer under way, with at least one outcome, in the store's order. */
public record Completed(String id, List<Outcome> outcomes, List<FollowUp> followUps) {

	/** All outcomes of the job that the store gets. */
	public List<Outcome> allOutcomes(long firstNumber) {
		if (this.followUps.isEmpty()) {
			return this.outcomes;
		}
		List<Outcome> all = new ArrayList<>(this.followUps.size() + this.outcomes.size());
		long number = firstNumber;
		for (FollowUp followUp : this.followUps) {
			all.add(new Outcome.FollowUp(this.id, number++, followUp));
		}
		all.addAll(this.outcomes);
		return all;
	}

	/** Reports what went to the morgue, now that the store has applied the outcomes. */
	public void report(LowkiqObserver observer, String queue) {
		for (Outcome outcome : this.outcomes) {
			if (outcome instanceof Outcome.PartlyDone part && !part.dead().isEmpty()) {
				observer.buried(queue, this.id, part.dead().size(), part.failure().text());
			}
		}
	}

	/** How many payloads these outcomes send to the morgue. */
	public int buried() {
		int buried = 0;
		for (Outcome outcome : this.outcomes) {
			if (outcome instanceof Outcome.PartlyDone part) {
				buried += part.dead().size();
			}
		}
		return buried;
	}

}
