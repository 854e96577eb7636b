package io.lowkiq.dashboard.api;

import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.Ids;
import io.lowkiq.admin.JobReport;
import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.jobs.ErrorFilter;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.dashboard.jobs.JobSearch;
import io.lowkiq.dashboard.jobs.JobViews;
import io.lowkiq.dashboard.jobs.PayloadText;
import io.lowkiq.dashboard.jobs.QueueWalk;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.ErrorKind;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.job.Payload;
import org.jspecify.annotations.Nullable;

/** Answers the API's questions about jobs. */
final class JobApi {

	private static final int PAGE = 50;

	private static final int MAX_PAGE = 200;

	private static final int MAX_HITS = 200;

	/** On the page of one id. */
	private static final int DETAIL_PAYLOADS = 100;

	/** The most payloads of an id that are shown; each of them can be shown whole. */
	private static final int MAX_PAYLOADS = 1_000;

	private static final int DETAIL_CHARACTERS = 65_536;

	private final RedisStore store;

	private final LowkiqAdmin admin;

	private final JobSearch search;

	private final GroupApi groups;

	private final PayloadText.Renderer renderer;

	private final JobViews views;

	JobApi(RedisStore store, LowkiqAdmin admin, JobSearch search, ClusterReader reader, PayloadText.Renderer renderer,
			InstantSource clock, GroupApi groups) {
		this.store = store;
		this.admin = admin;
		this.search = search;
		this.groups = groups;
		this.renderer = renderer;
		this.views = new JobViews(renderer, reader, clock);
	}

	JobDocuments.Jobs list(QueueLayout queue, ApiRequest request) {
		JobSelection selection = Selections.of(queue, request);
		JobQuery query = new JobQuery(selection.list(), "true".equals(request.parameter("descending")),
				selection.prefix(), request.parameter("after"), request.number("limit", PAGE, 1, MAX_PAGE),
				this.renderer.read(JobViews.LIST_PAYLOADS));
		Integer shard = selection.shard();
		ShardInspection inspection = this.store.inspection();
		JobPage page = QueueWalk.list(
				selection.isFiltered() ? new ErrorFilter(inspection, selection)::list : inspection::list, queue, query,
				shard);
		long now = inspection.counts(queue.shard((shard != null) ? shard : 0)).now();
		return new JobDocuments.Jobs(now,
				page.jobs().stream().map((job) -> this.views.job(job, JobViews.LIST_CHARACTERS, null)).toList(),
				page.next(), (selection.error() != null) ? kind(page.jobs()) : null);
	}

	/** The kind of the errors of the jobs; null if there is no job. */
	private static @Nullable String kind(List<JobView> jobs) {
		return jobs.stream().map(JobView::error).filter(Objects::nonNull).findFirst().map((error) -> {
			ErrorKind kind = ErrorKind.of(error);
			return Stream.of(kind.type(), kind.message())
				.filter((part) -> part != null && !part.isEmpty())
				.collect(Collectors.joining(": "));
		}).orElse(null);
	}

	JobDocuments.JobDetail detail(QueueLayout queue, ApiRequest request) {
		int payloads = request.number("payloads", DETAIL_PAYLOADS, 1, MAX_PAYLOADS);
		int characters = (payloads > DETAIL_PAYLOADS) ? JobViews.LIST_CHARACTERS : DETAIL_CHARACTERS;
		JobReport report = this.admin.find(queue.name(), id(request), this.renderer.read(payloads));
		JobStatus status = report.status();
		return new JobDocuments.JobDetail(report.now(), queue.name(), report.id(), report.shard(), status,
				report.paused(), this.groups.of(queue, report.id()),
				report.jobs().stream().map((job) -> this.views.job(job, characters, status.node())).toList());
	}

	PayloadText payload(QueueLayout queue, ApiRequest request) {
		String id = id(request);
		int place = request.number("place", 0, 0, MAX_PAYLOADS - 1);
		Optional<JobView> job = this.store.inspection()
			.find(queue.shardOf(id), request.constant("state", State.class, State.QUEUED), id, place + 1);
		List<Payload> payloads = job.map(JobView::payloads).orElse(List.of());
		if (place >= payloads.size()) {
			throw ApiException.notFound("This payload no longer exists");
		}
		return this.renderer.render(queue.name(), id, payloads.get(place), Integer.MAX_VALUE);
	}

	JobDocuments.Search search(ApiRequest request) {
		String text = request.parameter("text");
		if (text == null) {
			throw ApiException.badRequest("The parameter text is required");
		}
		return this.search.search(text, request.constant("in", JobSearch.In.class, JobSearch.In.IDS),
				request.parameter("after"), request.number("limit", PAGE, 1, MAX_HITS));
	}

	private static String id(ApiRequest request) {
		return Ids.check(request.parameter("id"));
	}

}
