package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Lists the due jobs of a shard: merges the ready ones with the due part of the delayed
 * ones and of the suspects. Used by one thread.
 */
final class DueJobs {

	private static final List<JobList> SOURCES = List.of(JobList.READY, JobList.DELAYED, JobList.SUSPECTS);

	private static final String ENDED = "~";

	private final ShardInspection inspection;

	private final Shard shard;

	private final long now;

	DueJobs(ShardInspection inspection, Shard shard, long now) {
		this.inspection = inspection;
		this.shard = shard;
		this.now = now;
	}

	JobPage page(JobQuery query) {
		List<Source> sources = sources(query);
		if (sources.stream().anyMatch((source) -> source.jobs.isEmpty() && !source.isThrough())) {
			// The store has only searched for the next id with the prefix
			return new JobPage(List.of(), token(sources));
		}
		List<JobView> merged = new ArrayList<>();
		Source first = first(sources);
		while (first != null && merged.size() < query.limit()) {
			merged.add(first.take());
			first = (first.hasNext() || first.isLast()) ? first(sources) : null;
		}
		return new JobPage(List.copyOf(merged), token(sources));
	}

	private static @Nullable Source first(List<Source> sources) {
		return sources.stream()
			.filter(Source::hasNext)
			.min(Comparator.comparingLong((source) -> source.peek().performAt()))
			.orElse(null);
	}

	private List<Source> sources(JobQuery query) {
		String[] parts = (query.after() != null) ? query.after().split("\\.", -1) : new String[] { "", "", "" };
		if (parts.length != SOURCES.size()) {
			throw new InvalidJobException("Invalid page token");
		}
		List<Source> sources = new ArrayList<>();
		for (int i = 0; i < parts.length; i++) {
			sources.add(new Source(SOURCES.get(i), parts[i], query));
		}
		return sources;
	}

	private static @Nullable String token(List<Source> sources) {
		List<String> parts = sources.stream().map(Source::token).toList();
		return parts.stream().allMatch(ENDED::equals) ? null : String.join(".", parts);
	}

	private static String encode(String token) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(token.getBytes(StandardCharsets.UTF_8));
	}

	private static @Nullable String decode(String part) {
		try {
			return part.isEmpty() ? null : new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidJobException("Invalid page token");
		}
	}

	/** The due jobs of one list, from a place on. */
	private final class Source {

		private final JobList list;

		private final JobQuery query;

		private final String part;

		private final List<JobView> jobs;

		/** Where the jobs after the page are; null if none of them is due. */
		private final @Nullable String next;

		private int taken;

		Source(JobList list, String part, JobQuery query) {
			this.list = list;
			this.query = query;
			this.part = part;
			if (part.equals(ENDED)) {
				this.jobs = List.of();
				this.next = null;
				return;
			}
			JobPage page = list(query.limit(), query.payloads());
			// A ready job is due, whatever the clock says
			this.jobs = (list == JobList.READY) ? page.jobs()
					: page.jobs().stream().takeWhile((job) -> job.performAt() <= DueJobs.this.now).toList();
			this.next = (this.jobs.size() == page.jobs().size()) ? page.next() : null;
		}

		private JobPage list(int limit, int payloads) {
			return DueJobs.this.inspection.list(DueJobs.this.shard, new JobQuery(this.list, false, this.query.prefix(),
					decode(this.part), limit, payloads, this.query.errorBytes()));
		}

		boolean hasNext() {
			return this.taken < this.jobs.size();
		}

		/** Whether the page has the last due jobs of the list. */
		boolean isLast() {
			return this.next == null;
		}

		boolean isThrough() {
			return this.next == null && !hasNext();
		}

		JobView peek() {
			return this.jobs.get(this.taken);
		}

		JobView take() {
			return this.jobs.get(this.taken++);
		}

		String token() {
			if (this.taken == 0 && hasNext()) {
				return this.part;
			}
			// The last one of a list is asked for again: nothing may follow it
			String token = hasNext() ? list(this.taken, 0).next() : this.next;
			return (token != null) ? encode(token) : ENDED;
		}

	}

}
