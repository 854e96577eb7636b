package io.lowkiq.dashboard.api;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import org.jspecify.annotations.Nullable;

/**
 * Understands which jobs a request is about: {@code state}, {@code prefix}, {@code shard}
 * and {@code error}, as parameters and in the body of an action.
 */
final class Selections {

	private static final Set<JobList> TIMED = EnumSet.of(JobList.SCHEDULED, JobList.RETRIES, JobList.DEAD);

	private Selections() {
	}

	/** The selection of a request's parameters. */
	static JobSelection of(QueueLayout queue, ApiRequest request) {
		String state = request.parameter("state");
		Integer shard = (request.parameter("shard") != null) ? request.number("shard", 0, 0, queue.shards() - 1) : null;
		return of(queue,
				new JobDocuments.Selection((state != null) ? state : label(JobList.QUEUED), request.parameter("prefix"),
						shard, request.parameter("error"), request.time("from"), request.time("until")));
	}

	/** The selection of a document. */
	static JobSelection of(QueueLayout queue, JobDocuments.Selection selection) {
		String state = selection.state();
		if (state == null) {
			throw ApiException.badRequest("A selection must have a state");
		}
		Integer shard = selection.shard();
		if (shard != null && (shard < 0 || shard >= queue.shards())) {
			throw ApiException.badRequest("shard must be between 0 and %s".formatted(queue.shards() - 1));
		}
		JobList list = ApiRequest.constant(JobList.class, "state", state);
		if (!TIMED.contains(list) && (selection.from() != null || selection.until() != null)) {
			throw ApiException.badRequest("Only scheduled, retrying and dead jobs can be selected by time");
		}
		return new JobSelection(list, given(selection.prefix()), shard, given(selection.error()), selection.from(),
				selection.until());
	}

	private static @Nullable String given(@Nullable String text) {
		return (text == null || text.isEmpty()) ? null : text;
	}

	private static String label(JobList list) {
		return list.name().toLowerCase(Locale.ROOT);
	}

}
