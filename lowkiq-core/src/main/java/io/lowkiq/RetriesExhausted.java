package io.lowkiq;

/**
 * What becomes of a job whose retries are used up (rule 6).
 */
public enum RetriesExhausted {

	/**
	 * The payload with the smallest score goes to the morgue, and the others begin afresh
	 * at once, as in the Ruby gem.
	 */
	BURY_OLDEST,

	/** All payloads that failed together go to the morgue. */
	BURY_ALL,

	/**
	 * The job waits for a person: nothing of its id is performed until then, and newer
	 * payloads gather behind it.
	 */
	HOLD

}
