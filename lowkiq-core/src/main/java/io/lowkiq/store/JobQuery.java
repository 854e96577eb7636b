package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of the jobs of a shard.
 *
 * @param state where the jobs lie
 * @param order the order of the jobs; ties are broken by something stable
 * @param descending whether the order is turned round
 * @param from the value at which to begin, itself included: an id prefix bound for
 * {@link Order#ID}, a number for the others; null for the end of the order
 * @param prefix only ids that begin with it; null for all. Only with {@link Order#ID}
 * @param after the {@link JobPage#next()} of the page before; null for the first page
 * @param limit the size of the page, 1 to 1,000
 * @param payloads how many payloads of each job to bring, 0 to 1,000
 */
public record JobQuery(JobView.State state, Order order, boolean descending, @Nullable String from,
		@Nullable String prefix, @Nullable String after, int limit, int payloads) {

	/** The order of the jobs of a page. */
	public enum Order {

		/** By the unsigned bytes of the id. */
		ID,

		/** By performAt; of dead jobs by the time of burial. */
		PERFORM_AT,

		/** By retryCount. Only of queued jobs. */
		RETRY_COUNT

	}

	/**
	 * The first page of an order, with up to 10 payloads a job.
	 * @param state where the jobs lie
	 * @param order the order of the jobs
	 * @param limit the size of the page
	 * @return the query
	 */
	public static JobQuery first(JobView.State state, Order order, int limit) {
		return new JobQuery(state, order, false, null, null, null, limit, 10);
	}

	/**
	 * The same query from a value on.
	 * @param value an id for {@link Order#ID}, a number for the others
	 * @return the query
	 */
	public JobQuery from(String value) {
		return new JobQuery(this.state, this.order, this.descending, value, this.prefix, null, this.limit,
				this.payloads);
	}

	/**
	 * The same query, turned round.
	 * @return the query
	 */
	public JobQuery backwards() {
		return new JobQuery(this.state, this.order, !this.descending, this.from, this.prefix, null, this.limit,
				this.payloads);
	}

	/**
	 * The same query, for ids with a prefix.
	 * @param idPrefix what the ids begin with
	 * @return the query
	 */
	public JobQuery withPrefix(String idPrefix) {
		return new JobQuery(this.state, this.order, this.descending, this.from, idPrefix, null, this.limit,
				this.payloads);
	}

	/**
	 * The page after another one.
	 * @param token its {@link JobPage#next()}
	 * @return the query
	 */
	public JobQuery after(String token) {
		return new JobQuery(this.state, this.order, this.descending, this.from, this.prefix, token, this.limit,
				this.payloads);
	}

}
