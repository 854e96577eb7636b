package io.lowkiq.store;

/**
 * The jobs that an owner requests.
 *
 * @param jobs the maximum number of jobs; 0 to fetch nothing
 * @param payloads the maximum number of payloads of one id, at least 1; the rest stays
 * queued, behind its id, with its performAt and retryCount -1
 * @param suspects whether a suspect may be fetched (rule 8). If one is due, it comes
 * first, and no other suspect with it; if false, suspects are passed over
 */
public record Fetch(int jobs, int payloads, boolean suspects) {

	/** Fetches nothing. */
	public static final Fetch NONE = new Fetch(0, 1, false);

}
