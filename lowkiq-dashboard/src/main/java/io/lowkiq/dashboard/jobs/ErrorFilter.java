package io.lowkiq.dashboard.jobs;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.redis.ShardInspection;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;

/**
 * Lists only the jobs of a selection. As with a prefix, a page may be short, even empty,
 * though more follow. Thread-safe.
 */
public final class ErrorFilter {

	/** The number of jobs read for a page. */
	private static final int STEP = 200;

	private final ShardInspection inspection;

	private final JobSelection selection;

	public ErrorFilter(ShardInspection inspection, JobSelection selection) {
		this.inspection = inspection;
		this.selection = selection;
	}

	/** Searches without payloads, then reads the payloads of the matches. */
	public JobPage list(Shard shard, JobQuery query) {
		// The token of a list without an order is good for one limit only
		boolean ordered = query.list() != JobList.QUEUED && query.list() != JobList.BUSY;
		JobPage page = this.inspection.list(shard,
				query(query, ordered ? Math.max(STEP, query.limit()) : query.limit()));
		List<JobView> matching = new ArrayList<>();
		int read = 0;
		while (read < page.jobs().size() && matching.size() < query.limit()) {
			JobView job = page.jobs().get(read);
			if (this.selection.matches(job)) {
				matching.add(job);
			}
			read++;
		}
		String next = (read < page.jobs().size()) ? this.inspection.list(shard, query(query, read)).next()
				: page.next();
		return new JobPage((query.payloads() > 0) ? withPayloads(matching, query.payloads()) : matching, next);
	}

	private static JobQuery query(JobQuery query, int limit) {
		return new JobQuery(query.list(), query.descending(), query.prefix(), query.after(), limit, 0);
	}

	/** Reads the jobs again with payloads, and leaves out those gone in the meantime. */
	private List<JobView> withPayloads(List<JobView> jobs, int payloads) {
		return jobs.stream()
			.flatMap((job) -> this.inspection.find(job.shard(), job.state(), job.id(), payloads).stream())
			.filter(this.selection::matches)
			.toList();
	}

}
