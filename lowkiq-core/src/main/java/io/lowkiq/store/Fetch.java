package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * The jobs that an owner requests.
 *
 * @param jobs 0 to fetch nothing
 * @param payloads the maximum of one id, at least 1; the rest stays queued, behind its
 * id, with its performAt and retryCount -1
 * @param suspects whether to fetch a suspect (rule 8). If one is due, it comes first, and
 * alone; otherwise suspects are passed over
 * @param groups null if the queue has none, and none of before wait. With it, jobs are
 * given to their groups even if none is fetched
 */
public record Fetch(int jobs, int payloads, boolean suspects, @Nullable GroupTurns groups) {

	public static final Fetch NONE = new Fetch(0, 1, false);

	/** Of a queue without groups. */
	public Fetch(int jobs, int payloads, boolean suspects) {
		this(jobs, payloads, suspects, null);
	}

	/** Returns a copy in which groups take turns. */
	public Fetch with(GroupTurns turns) {
		return new Fetch(this.jobs, this.payloads, this.suspects, turns);
	}

}
