package io.lowkiq.store.inspection;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.job.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A request for a page of the jobs of a shard, in the order in which the store keeps
 * them. A page may be shorter than the limit, even empty, though more follow: a query
 * with a prefix walks the list in steps of bounded time.
 *
 * @param descending whether the order is reversed; not for {@link JobList#QUEUED} and
 * {@link JobList#BUSY}, which have none, and not for {@link JobList#DUE}
 * @param prefix only ids that begin with it; null for all
 * @param after the {@link JobPage#next()} of the page before; null for the first page.
 * Valid for the same list, order and prefix; of {@link JobList#QUEUED} and
 * {@link JobList#BUSY} only for the same limit, too: with another one, jobs may be
 * missing
 * @param limit the size of the page, 1 to 1,000
 * @param payloads how many payloads of each job to return, 0 to 1,000
 * @param errorBytes how many bytes of each error are needed, 0 or more; the rest may be
 * missing. The attempts are returned only with whole errors, of
 * {@value Outcome#MAX_ERROR_BYTES} bytes
 */
public record JobQuery(JobList list, boolean descending, @Nullable String prefix, @Nullable String after, int limit,
		int payloads, int errorBytes) {

	private static final int MAX_LIMIT = 1_000;

	/**
	 * @throws InvalidJobException if the query makes no sense
	 */
	public JobQuery {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new InvalidJobException(
					"The limit of a page is %s; it must be between 1 and %s".formatted(limit, MAX_LIMIT));
		}
		if (payloads < 0 || payloads > MAX_LIMIT) {
			throw new InvalidJobException("The payloads of a page are %s a job; they must be between 0 and %s"
				.formatted(payloads, MAX_LIMIT));
		}
		if (errorBytes < 0) {
			throw new InvalidJobException("%s bytes of the errors are asked for".formatted(errorBytes));
		}
		if (descending && (list == JobList.QUEUED || list == JobList.BUSY || list == JobList.DUE)) {
			throw new InvalidJobException("The order of the list %s can't be reversed".formatted(list));
		}
	}

	public JobQuery(JobList list, boolean descending, @Nullable String prefix, @Nullable String after, int limit,
			int payloads) {
		this(list, descending, prefix, after, limit, payloads, Outcome.MAX_ERROR_BYTES);
	}

	public enum JobList {

		/** All queued jobs, in no order. */
		QUEUED,

		/** Queued jobs that are ready, oldest first. */
		READY,

		/** Delayed, failed and restored jobs by performAt, those on hold last. */
		DELAYED,

		/**
		 * Queued jobs that are due: ready ones, and the due part of the delayed ones and
		 * of the suspects, oldest first.
		 */
		DUE,

		/** Delayed, failed and restored jobs that are due later, by performAt. */
		SCHEDULED,

		/** The delayed jobs on hold, by id. */
		HELD,

		/** Suspects by performAt. */
		SUSPECTS,

		/**
		 * Queued jobs with a retryCount of 0 or more, by retryCount, without those on
		 * hold.
		 */
		RETRIES,

		/** Busy jobs, in no order. */
		BUSY,

		/** Dead jobs by the time of their burial. */
		DEAD

	}

	/** The first page of a list, with up to 10 payloads a job. */
	public static JobQuery first(JobList list, int limit) {
		return new JobQuery(list, false, null, null, limit, 10);
	}

	/** The same query in reversed order, from its first page on. */
	public JobQuery backwards() {
		return new JobQuery(this.list, !this.descending, this.prefix, null, this.limit, this.payloads, this.errorBytes);
	}

	/** The same query, for ids with a prefix, from its first page on. */
	public JobQuery withPrefix(String idPrefix) {
		return new JobQuery(this.list, this.descending, idPrefix, null, this.limit, this.payloads, this.errorBytes);
	}

	/** The page after another one. */
	public JobQuery after(String token) {
		return new JobQuery(this.list, this.descending, this.prefix, token, this.limit, this.payloads, this.errorBytes);
	}

}
