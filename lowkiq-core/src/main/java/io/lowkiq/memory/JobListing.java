package io.lowkiq.memory;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;

/**
 * Answers one query for a page of jobs. Ties are broken by the unsigned bytes of the id.
 */
final class JobListing {

	/**
	 * Where a job is in its list; as text, the token of a page that ends there.
	 *
	 * @param key what the list is ordered by; 0 if it has no order
	 * @param id breaks ties
	 */
	record Position(long key, String id) {

		static Position parse(String token) {
			int colon = token.indexOf(':');
			try {
				return new Position(Long.parseLong(token.substring(0, Math.max(colon, 0))), token.substring(colon + 1));
			}
			catch (NumberFormatException ex) {
				throw new InvalidJobException("Invalid page token: '%s'".formatted(token));
			}
		}

		@Override
		public String toString() {
			return this.key + ":" + this.id;
		}

	}

	/**
	 * A job of the list.
	 *
	 * @param position where it is
	 * @param job what to show of it
	 */
	record Listed(Position position, JobView job) {

		static Listed of(long key, JobView job) {
			return new Listed(new Position(key, job.id()), job);
		}

	}

	private final JobQuery query;

	private final Comparator<Position> order;

	JobListing(JobQuery query) {
		this.query = query;
		Comparator<Position> ascending = Comparator.comparingLong(Position::key)
			.thenComparing(Position::id, MemoryJob.BY_ID_BYTES);
		this.order = query.descending() ? ascending.reversed() : ascending;
	}

	/**
	 * The page.
	 * @param jobs all jobs of the list
	 * @return those of the page
	 */
	JobPage page(Stream<Listed> jobs) {
		Position after = (this.query.after() != null) ? Position.parse(this.query.after()) : null;
		String prefix = (this.query.prefix() != null) ? this.query.prefix() : "";
		List<Listed> found = jobs.filter((listed) -> listed.job().id().startsWith(prefix))
			.filter((listed) -> after == null || this.order.compare(listed.position(), after) > 0)
			.sorted(Comparator.comparing(Listed::position, this.order))
			.limit(this.query.limit() + 1L)
			.toList();
		List<JobView> views = found.stream().limit(this.query.limit()).map(Listed::job).toList();
		boolean isLast = found.size() == views.size();
		return new JobPage(views, isLast ? null : found.get(views.size() - 1).position().toString());
	}

}
