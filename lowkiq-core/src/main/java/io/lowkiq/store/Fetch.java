package io.lowkiq.store;

/**
 * How many jobs an owner asks for.
 *
 * @param jobs the largest number of jobs; 0 to fetch nothing
 * @param payloads the largest number of payloads of one id, at least 1; the rest stays
 * queued with its performAt and retryCount -1
 * @param suspects whether a job that was busy when a node died may be fetched. If one is
 * due, it is fetched alone, before all others; if false, such jobs are passed over (rule
 * 8)
 * @param handOver whether a job that is pushed while the owner waits may be handed over
 * to it by {@link WakeUps.Listener#handOver}, if no job is found
 */
public record Fetch(int jobs, int payloads, boolean suspects, boolean handOver) {

	/** Fetches nothing. */
	public static final Fetch NONE = new Fetch(0, 1, false);

	/**
	 * A fetch of an owner that only wants to be woken.
	 * @param jobs the largest number of jobs
	 * @param payloads the largest number of payloads of one id
	 * @param suspects whether a suspect may be fetched
	 */
	public Fetch(int jobs, int payloads, boolean suspects) {
		this(jobs, payloads, suspects, false);
	}

}
