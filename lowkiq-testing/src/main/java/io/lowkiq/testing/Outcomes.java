package io.lowkiq.testing;

import java.util.List;

import io.lowkiq.store.Outcome;

/**
 * Short names for the outcomes of single payloads.
 */
public final class Outcomes {

	private Outcomes() {
	}

	/**
	 * The retries of a job are used up: its first payload is buried. The outcome of the
	 * others, if there are any, comes next.
	 * @param id the job's id
	 * @param error why
	 * @return the outcome
	 */
	public static Outcome buried(String id, String error) {
		return new Outcome.PartlyDone(id, List.of(), List.of(0), error, true);
	}

	/**
	 * Some payloads of a job are buried, which is no failure of the others.
	 * @param id the job's id
	 * @param payloads their places
	 * @param error why
	 * @return the outcome
	 */
	public static Outcome rejected(String id, List<Integer> payloads, String error) {
		return new Outcome.PartlyDone(id, List.of(), payloads, error, false);
	}

}
