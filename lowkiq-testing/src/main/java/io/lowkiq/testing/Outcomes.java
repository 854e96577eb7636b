package io.lowkiq.testing;

import java.util.List;

import io.lowkiq.store.job.Outcome;

/** Short names for the outcomes of single payloads. */
public final class Outcomes {

	private Outcomes() {
	}

	/**
	 * The retries of a job are used up: its first payload is buried. The outcome of the
	 * others, if there are any, comes next.
	 */
	public static Outcome buried(String id, String error) {
		return new Outcome.PartlyDone(id, List.of(), List.of(0), error, true);
	}

	/** Some payloads of a job are buried, which is no failure of the others. */
	public static Outcome rejected(String id, List<Integer> payloads, String error) {
		return new Outcome.PartlyDone(id, List.of(), payloads, error, false);
	}

}
