package io.lowkiq.dashboard;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.JobSelection;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON API: finds what a path means and answers with a document.
 */
final class Api {

	private static final long PATIENCE = 400;

	private static final int MOST_IDS = 1_000;

	private static final int AUDIT_ENTRIES = 100;

	private static final int MOST_RUNNING = 200;

	private final QueueRegistry queues;

	private final ClusterReader reader;

	private final Problems problems;

	private final JobApi jobs;

	private final JobSearch search;

	private final SelectionApi selections;

	private final QueueActions actions;

	private final ErrorGroups errors;

	private final AuditLog audit;

	private final PayloadEdits edits;

	private final ThroughputLog throughput;

	private final @Nullable RedisReader redis;

	private final PayloadVisibility payloads;

	private final boolean actionsEnabled;

	private final JsonMapper mapper;

	Api(QueueRegistry queues, ClusterReader reader, Problems problems, JobApi jobs, JobSearch search,
			SelectionApi selections, QueueActions actions, ErrorGroups errors, AuditLog audit, PayloadEdits edits,
			ThroughputLog throughput, @Nullable RedisReader redis, PayloadVisibility payloads, boolean actionsEnabled,
			JsonMapper mapper) {
		this.queues = queues;
		this.reader = reader;
		this.problems = problems;
		this.jobs = jobs;
		this.search = search;
		this.selections = selections;
		this.actions = actions;
		this.errors = errors;
		this.audit = audit;
		this.edits = edits;
		this.throughput = throughput;
		this.redis = redis;
		this.payloads = payloads;
		this.actionsEnabled = actionsEnabled;
		this.mapper = mapper;
	}

	/**
	 * Answers a request.
	 * @param request the request
	 * @param path the segments of its path after {@code api/v1}
	 * @return a document; null if there is nothing to say
	 * @throws ApiException if it can't be answered
	 */
	@Nullable Object answer(DashboardRequest request, List<String> path) {
		return switch (request.method()) {
			case "GET", "HEAD" -> read(request, path);
			case "POST", "DELETE" -> change(request, path);
			default -> throw new ApiException(405, "Only GET, POST and DELETE are supported");
		};
	}

	private Object read(DashboardRequest request, List<String> path) {
		if (path.size() == 1) {
			return document(request, path.get(0));
		}
		if (path.size() == 2 && path.get(0).equals("actions")) {
			return this.actions.find(path.get(1)).orElseThrow(unknown("action"));
		}
		if (path.equals(List.of("running", "stack"))) {
			return stack(request);
		}
		if (path.size() == 2 && path.get(0).equals("queues")) {
			return queueDetail(queue(path.get(1)));
		}
		if (path.size() == 3 && path.get(0).equals("queues")) {
			return ofQueue(request, queue(path.get(1)), path.get(2));
		}
		throw unknown("document").get();
	}

	private Views.QueueDetail queueDetail(QueueLayout queue) {
		ClusterReading reading = this.reader.recent();
		if (reading.queue(queue.name()).isEmpty()) {
			// It was recorded after the reading
			this.reader.forget();
			reading = this.reader.recent();
		}
		return ClusterViews.queue(reading, reading.queue(queue.name()).orElseThrow(unknown("queue")));
	}

	private Object document(DashboardRequest request, String name) {
		return switch (name) {
			case "session" -> new Views.Session(request.user(), this.actionsEnabled, this.payloads, request.csrf());
			case "stats" -> ClusterViews.stats(this.reader.recent());
			case "overview" -> overview();
			case "running" -> running(request);
			case "history" -> history(request);
			case "redis" -> redis();
			case "errors" -> errors(request);
			case "search" -> this.search.search(request);
			case "audit" -> new Views.Audit(this.reader.recent().now(),
					this.audit.recent(JobApi.number(request, "limit", AUDIT_ENTRIES, 1, AuditLog.KEPT)));
			case "actions" -> new Views.RunningActions(this.reader.recent().now(), this.actions.running());
			default -> throw unknown("document").get();
		};
	}

	private Object ofQueue(DashboardRequest request, QueueLayout queue, String name) {
		return switch (name) {
			case "jobs" -> this.jobs.list(queue, request);
			case "job" -> this.jobs.detail(queue, request);
			case "payload" -> this.jobs.payload(queue, request);
			case "count" -> this.selections.count(queue, request);
			case "export" -> this.selections.export(queue, request);
			default -> throw unknown("document").get();
		};
	}

	private Views.Overview overview() {
		ClusterReading reading = this.reader.recent();
		return ClusterViews.overview(reading, this.problems.of(reading));
	}

	private Views.Running running(DashboardRequest request) {
		String queue = request.parameter("queue");
		if (queue != null) {
			Ids.checkQueue(queue);
		}
		ClusterReading reading = this.reader.recent();
		int limit = JobApi.number(request, "limit", MOST_RUNNING, 1, MOST_RUNNING);
		return RunningJobs.of(reading, queue).view(reading.now(), limit);
	}

	private Views.StackTrace stack(DashboardRequest request) {
		ClusterReading reading = this.reader.recent();
		return RunningJobs.of(reading, null)
			.stack(reading.now(), request.parameter("session"), request.parameter("thread"));
	}

	private Object redis() {
		if (this.redis == null) {
			throw ApiException.notFound("There is no Redis");
		}
		return this.redis.recent();
	}

	private Views.Errors errors(DashboardRequest request) {
		String queue = request.parameter("queue");
		return this.errors.recent((queue != null) ? queue(queue).name() : null);
	}

	private Object history(DashboardRequest request) {
		String queue = request.parameter("queue");
		if (queue != null) {
			Ids.checkQueue(queue);
		}
		long now = this.reader.recent().now();
		String period = request.parameter("period");
		if (period == null || period.equals("recent")) {
			return History.recent(this.throughput.steps(queue), now);
		}
		if (period.equals("days")) {
			return History.days(this.throughput.days(queue), now);
		}
		Period steps = Period.of(period)
			.orElseThrow(() -> ApiException.badRequest("period must be one of recent, 1h, 24h, 7d, days"));
		return PeriodHistory.of(steps, new PeriodLog(this.throughput).steps(steps, queue, now));
	}

	private @Nullable Object change(DashboardRequest request, List<String> path) {
		if (!this.actionsEnabled) {
			throw ApiException
				.forbidden("This dashboard is read-only: set lowkiq.dashboard.actions-enabled=true to allow actions");
		}
		if (!SameOrigin.holds(request)) {
			throw ApiException.forbidden("Changing calls are only accepted from the dashboard's own page: same origin, "
					+ "JSON, and the header " + SameOrigin.HEADER);
		}
		boolean post = request.method().equals("POST");
		if (post && path.equals(List.of("access"))) {
			return null;
		}
		if (post && path.size() == 3 && path.get(0).equals("queues") && path.get(2).equals("actions")) {
			return act(queue(path.get(1)), request);
		}
		if (post && path.size() == 3 && path.get(0).equals("queues") && path.get(2).equals("held-payload")) {
			return edit(queue(path.get(1)), PayloadEdits.Target.HELD, request);
		}
		if (post && path.size() == 3 && path.get(0).equals("queues") && path.get(2).equals("dead-payload")) {
			return edit(queue(path.get(1)), PayloadEdits.Target.DEAD, request);
		}
		if (!post && path.size() == 2 && path.get(0).equals("actions")) {
			this.actions.cancel(this.actions.find(path.get(1)).orElseThrow(unknown("action")).run());
			return null;
		}
		throw unknown("document").get();
	}

	private @Nullable Object edit(QueueLayout queue, PayloadEdits.Target target, DashboardRequest request) {
		Views.PayloadEdit edit = body(request, Views.PayloadEdit.class,
				"{\"id\": \"42\", \"known\": \"{}\", \"text\": \"[]\"}");
		this.edits.edit(queue, target, edit, user(request));
		return null;
	}

	private ActionStatus act(QueueLayout queue, DashboardRequest request) {
		Views.ActionOrder order = body(request, Views.ActionOrder.class, "{\"action\": \"delete\", \"ids\": [\"42\"]}");
		String label = (order.action() != null) ? order.action() : "";
		AdminAction action = AdminAction.of(label)
			.orElseThrow(() -> ApiException.badRequest("Unknown action; see the documentation"));
		Views.Selection selected = order.selection();
		if (selected == null) {
			return this.actions.start(queue.name(), action, ids(action, order), user(request), PATIENCE);
		}
		JobSelection selection = Selections.of(queue, selected);
		if (order.ids() != null) {
			throw ApiException.badRequest("An action takes ids or a selection, not both");
		}
		if (!action.takes(selection.list())) {
			throw ApiException.badRequest(
					"The action %s can't be done to jobs of the state %s".formatted(action.label(), selected.state()));
		}
		return this.actions.start(queue.name(), action, selection, user(request), PATIENCE);
	}

	private <T> T body(DashboardRequest request, Class<T> type, String example) {
		T read = null;
		try {
			// A misspelt part of a selection must not select more
			read = this.mapper.readerFor(type)
				.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
				.readValue(request.body());
		}
		catch (JacksonException ex) {
			// The answer is below
		}
		if (read == null) {
			throw ApiException.badRequest("The body must be JSON such as " + example);
		}
		return read;
	}

	private static String user(DashboardRequest request) {
		return (request.user() != null) ? request.user() : AuditLog.NOBODY;
	}

	private static List<String> ids(AdminAction action, Views.ActionOrder order) {
		Set<String> ids = new LinkedHashSet<>((order.ids() != null) ? order.ids() : List.of());
		if (action.isNamed() == ids.isEmpty()) {
			throw ApiException
				.badRequest(action.isNamed() ? "This action needs ids or a selection" : "This action takes no ids");
		}
		if (ids.size() > MOST_IDS) {
			throw ApiException.badRequest("At most %,d ids at a time".formatted(MOST_IDS));
		}
		ids.forEach(Api::checkId);
		return new ArrayList<>(ids);
	}

	private static void checkId(@Nullable String id) {
		try {
			Ids.check(id);
		}
		catch (InvalidJobException ex) {
			throw ApiException.badRequest("Invalid job id");
		}
	}

	private QueueLayout queue(String name) {
		return this.queues.find(Ids.checkQueue(name)).orElseThrow(unknown("queue"));
	}

	private static Supplier<ApiException> unknown(String what) {
		return () -> ApiException.notFound("There is no such " + what);
	}

}
