package io.lowkiq.store;

import java.util.Comparator;
import java.util.List;

import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;

/** All pages of a list, in an order that every storage has in common. */
final class ListedJobs {

	private ListedJobs() {
	}

	/** Reads a list page by page. */
	static List<JobView> of(TestedStore store, JobQuery query) {
		List<JobView> jobs = store.inspection().listAll(StoreContract.SHARD, query);
		boolean isOpen = query.list() == JobList.QUEUED || query.list() == JobList.BUSY || query.list() == JobList.DUE
				|| (query.list() == JobList.READY && query.descending());
		// An id that was ready, deleted and enqueued again may be on two pages
		List<JobView> distinct = (query.list() == JobList.READY || query.list() == JobList.DUE)
				? jobs.stream().distinct().toList() : jobs;
		return isOpen ? distinct.stream().sorted(Comparator.comparing(JobView::id)).toList() : distinct;
	}

}
