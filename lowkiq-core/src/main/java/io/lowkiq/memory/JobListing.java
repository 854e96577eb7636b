package io.lowkiq.memory;

import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;

/**
 * Answers one query for a page of jobs. Ties are broken by the unsigned bytes of the id.
 */
final class JobListing {

	private static final int MAX_LIMIT = 1_000;

	/**
	 * A job's place in the order.
	 *
	 * @param key what the order is by; 0 if it is by id
	 * @param id breaks ties
	 */
	private record Place(long key, String id) {

		static Place parse(String token) {
			int colon = token.indexOf(':');
			if (colon < 0) {
				throw new InvalidJobException("Not the token of a page: '%s'".formatted(token));
			}
			return new Place(JobListing.parse(token.substring(0, colon)), token.substring(colon + 1));
		}

		@Override
		public String toString() {
			return this.key + ":" + this.id;
		}

	}

	private final JobQuery query;

	private final Comparator<JobView> order;

	private final Predicate<JobView> selection;

	JobListing(JobQuery query) {
		this.query = check(query);
		Comparator<JobView> ascending = Comparator.comparingLong(this::key)
			.thenComparing(JobView::id, MemoryJob.BY_ID_BYTES);
		this.order = query.descending() ? ascending.reversed() : ascending;
		this.selection = prefix().and(from()).and(after());
	}

	private static JobQuery check(JobQuery query) {
		if (query.limit() < 1 || query.limit() > MAX_LIMIT) {
			throw new InvalidJobException(
					"The limit of a page is %d; it must lie between 1 and %d".formatted(query.limit(), MAX_LIMIT));
		}
		if (query.payloads() < 0 || query.payloads() > MAX_LIMIT) {
			throw new InvalidJobException("The payloads of a page are %d a job; they must lie between 0 and %d"
				.formatted(query.payloads(), MAX_LIMIT));
		}
		if (query.prefix() != null && query.order() != JobQuery.Order.ID) {
			throw new InvalidJobException("A prefix goes with the order by id only, not " + query.order());
		}
		if (query.order() == JobQuery.Order.RETRY_COUNT && query.state() != JobView.State.QUEUED) {
			throw new InvalidJobException("Only queued jobs have an order by retryCount, not " + query.state());
		}
		return query;
	}

	/**
	 * The page.
	 * @param jobs all jobs of the state
	 * @return those of the page
	 */
	JobPage page(List<JobView> jobs) {
		List<JobView> found = jobs.stream()
			.filter(this.selection)
			.sorted(this.order)
			.limit(this.query.limit() + 1L)
			.toList();
		if (found.size() <= this.query.limit()) {
			return new JobPage(found, null);
		}
		JobView last = found.get(this.query.limit() - 1);
		return new JobPage(found.subList(0, this.query.limit()), new Place(key(last), last.id()).toString());
	}

	private Predicate<JobView> prefix() {
		String prefix = this.query.prefix();
		return (job) -> prefix == null || job.id().startsWith(prefix);
	}

	private Predicate<JobView> from() {
		String from = this.query.from();
		if (from == null) {
			return (job) -> true;
		}
		if (this.query.order() == JobQuery.Order.ID) {
			return (job) -> inDirection(MemoryJob.BY_ID_BYTES.compare(job.id(), from)) >= 0;
		}
		long bound = parse(from);
		return (job) -> inDirection(Long.compare(key(job), bound)) >= 0;
	}

	private Predicate<JobView> after() {
		if (this.query.after() == null) {
			return (job) -> true;
		}
		Place after = Place.parse(this.query.after());
		return (job) -> {
			int byKey = Long.compare(key(job), after.key());
			return inDirection((byKey != 0) ? byKey : MemoryJob.BY_ID_BYTES.compare(job.id(), after.id())) > 0;
		};
	}

	private int inDirection(int comparison) {
		return this.query.descending() ? -comparison : comparison;
	}

	private long key(JobView job) {
		return switch (this.query.order()) {
			case ID -> 0;
			case PERFORM_AT -> job.performAt();
			case RETRY_COUNT -> job.retryCount();
		};
	}

	private static long parse(String text) {
		try {
			return Long.parseLong(text);
		}
		catch (NumberFormatException ex) {
			throw new InvalidJobException("Not a number: '%s'".formatted(text));
		}
	}

}
