package io.lowkiq;

/** The action to take when a job's retries are used up (rule 6). */
public enum RetriesExhausted {

	/**
	 * The payload with the smallest score goes to the morgue, and the others become due
	 * at once as a fresh job, as in the Ruby gem.
	 */
	BURY_OLDEST,

	/** All payloads that failed together go to the morgue. */
	BURY_ALL,

	/**
	 * The job is on hold: its id is not performed until a person releases it, and newer
	 * payloads wait behind it.
	 */
	HOLD

}
