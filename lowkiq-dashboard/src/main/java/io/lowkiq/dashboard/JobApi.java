package io.lowkiq.dashboard;

import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import io.lowkiq.Ids;
import io.lowkiq.admin.JobReport;
import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.store.Payload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;

/**
 * Answers the API's questions about jobs.
 */
final class JobApi {

	private static final int PAGE = 50;

	private static final int MAX_PAGE = 200;

	/** Of each payload in a list. */
	static final int LIST_PAYLOADS = 5;

	static final int LIST_CHARACTERS = 4_096;

	/** On the page of one id. */
	private static final int DETAIL_PAYLOADS = 100;

	private static final int DETAIL_CHARACTERS = 65_536;

	private final InspectableStore store;

	private final QueueInspection jobs;

	private final LowkiqAdmin admin;

	private final PayloadText.Renderer renderer;

	private final JobViews views;

	JobApi(InspectableStore store, LowkiqAdmin admin, ClusterReader reader, PayloadText.Renderer renderer,
			InstantSource clock) {
		this.store = store;
		this.jobs = new QueueInspection(store.inspection());
		this.admin = admin;
		this.renderer = renderer;
		this.views = new JobViews(renderer, reader, clock);
	}

	Views.Jobs list(QueueLayout queue, DashboardRequest request) {
		JobSelection selection = Selections.of(queue, request);
		JobQuery query = new JobQuery(selection.list(), "true".equals(request.parameter("descending")),
				selection.prefix(), request.parameter("after"), number(request, "limit", PAGE, 1, MAX_PAGE),
				this.renderer.read(LIST_PAYLOADS));
		Integer shard = selection.shard();
		QueueInspection selected = (selection.error() != null)
				? new QueueInspection(new ErrorFilter(this.store.inspection(), selection)) : this.jobs;
		JobPage page = selected.list(queue, query, shard);
		long now = this.store.inspection().counts(queue.shard((shard != null) ? shard : 0)).now();
		return new Views.Jobs(now,
				page.jobs().stream().map((job) -> this.views.job(job, LIST_CHARACTERS, null)).toList(), page.next());
	}

	Views.JobDetail detail(QueueLayout queue, DashboardRequest request) {
		JobReport report = this.admin.find(queue.name(), id(request), this.renderer.read(DETAIL_PAYLOADS));
		JobStatus status = report.status();
		return new Views.JobDetail(report.now(), queue.name(), report.id(), report.shard(), status, report.paused(),
				report.jobs().stream().map((job) -> this.views.job(job, DETAIL_CHARACTERS, status.node())).toList());
	}

	PayloadText payload(QueueLayout queue, DashboardRequest request) {
		String id = id(request);
		int place = number(request, "place", 0, 0, 999);
		Optional<JobView> job = this.store.inspection().find(queue.shardOf(id), state(request), id, place + 1);
		List<Payload> payloads = job.map(JobView::payloads).orElse(List.of());
		if (place >= payloads.size()) {
			throw ApiException.notFound("This payload no longer exists");
		}
		return this.renderer.render(queue.name(), id, payloads.get(place), Integer.MAX_VALUE);
	}

	private static String id(DashboardRequest request) {
		return Ids.check(request.parameter("id"));
	}

	private static State state(DashboardRequest request) {
		String state = request.parameter("state");
		return (state != null) ? constant(State.class, "state", state) : State.QUEUED;
	}

	static <E extends Enum<E>> E constant(Class<E> type, String name, String label) {
		return Arrays.stream(type.getEnumConstants())
			.filter((constant) -> label(constant).equals(label))
			.findFirst()
			.orElseThrow(() -> ApiException.badRequest(name + " must be one of "
					+ Arrays.stream(type.getEnumConstants()).map(JobApi::label).collect(Collectors.joining(", "))));
	}

	private static String label(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

	static int number(DashboardRequest request, String name, int otherwise, int least, int most) {
		String text = request.parameter(name);
		if (text == null) {
			return otherwise;
		}
		try {
			int number = Integer.parseInt(text);
			if (number >= least && number <= most) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// The answer is below
		}
		throw ApiException
			.badRequest("%s must be between %d and %d".formatted(name.toLowerCase(Locale.ROOT), least, most));
	}

}
