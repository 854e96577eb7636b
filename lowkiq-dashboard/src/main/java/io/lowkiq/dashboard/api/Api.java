package io.lowkiq.dashboard.api;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.Ids;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.actions.PayloadEdits;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import org.jspecify.annotations.Nullable;

/** The JSON API: finds what a path means and answers with a document. */
record Api(QueueRegistry queues, ClusterApi cluster, JobApi jobs, SelectionApi selections, ActionApi actions,
		OutboxApi outbox, FollowUpApi followUps, ScheduleApi schedules, GroupApi groups, PayloadVisibility payloads,
		boolean actionsEnabled) {

	/**
	 * Answers a request.
	 * @return a document; null if there is nothing to say
	 * @throws ApiException if it can't be answered
	 */
	@Nullable Object answer(ApiRequest request) {
		List<String> path = request.path();
		return switch (request.method()) {
			case "GET", "HEAD" -> read(request, path);
			case "POST", "DELETE" -> change(request, path);
			default -> throw new ApiException(405, "The API supports GET, HEAD, POST and DELETE");
		};
	}

	static boolean isReading(ApiRequest request) {
		return request.method().equals("GET") || request.method().equals("HEAD");
	}

	private Object read(ApiRequest request, List<String> path) {
		if (path.size() == 1) {
			return document(request, path.get(0));
		}
		if (path.size() == 2 && path.get(0).equals("actions")) {
			return this.actions.find(path.get(1));
		}
		if (path.equals(List.of("running", "stack"))) {
			return this.cluster.stack(request);
		}
		if (path.size() == 2 && path.get(0).equals("queues")) {
			return this.cluster.queue(queue(path.get(1)));
		}
		if (path.size() == 3 && path.get(0).equals("queues")) {
			return ofQueue(request, queue(path.get(1)), path.get(2));
		}
		throw ApiException.unknown("document");
	}

	private Object document(ApiRequest request, String name) {
		return switch (name) {
			case "session" -> new ApiDocuments.Session(request.user(), this.actionsEnabled, this.payloads,
					request.csrf(), this.schedules.hasSources());
			case "stats" -> this.cluster.stats();
			case "overview" -> this.cluster.overview();
			case "running" -> this.cluster.running(request);
			case "history" -> this.cluster.history(request);
			case "redis" -> this.cluster.redis();
			case "errors" -> this.cluster.errors(filteredQueue(request));
			case "schedules" -> this.schedules.schedules(this.cluster.now(), request.parameter("queue"));
			case "sources" -> this.schedules.sources(this.cluster.now());
			case "search" -> this.jobs.search(request);
			case "audit" -> this.cluster.audit(request);
			case "outbox" -> this.outbox.status(this.cluster.now(), request);
			case "actions" ->
				new ApiDocuments.RunningActions(this.cluster.now(), this.actions.running(), this.cluster.isInDanger());
			case "follow-ups" -> this.followUps.queues(this.cluster.now());
			default -> throw ApiException.unknown("document");
		};
	}

	private Object ofQueue(ApiRequest request, QueueLayout queue, String name) {
		return switch (name) {
			case "jobs" -> this.jobs.list(queue, request);
			case "job" -> this.jobs.detail(queue, request);
			case "payload" -> this.jobs.payload(queue, request);
			case "groups" -> this.groups.groups(queue, request);
			case "count" -> this.selections.count(queue, request);
			case "export" -> this.selections.export(queue, request);
			default -> throw ApiException.unknown("document");
		};
	}

	private @Nullable Object change(ApiRequest request, List<String> path) {
		if (!this.actionsEnabled) {
			throw ApiException
				.forbidden("This dashboard is read-only: set lowkiq.dashboard.actions-enabled=true to allow actions");
		}
		String name = (path.size() > 1) ? path.get(1) : "";
		switch (request.method() + " " + pattern(path)) {
			case "POST queues/*/actions" -> {
				return this.actions.start(queue(name), request);
			}
			case "POST actions" -> {
				return this.actions.startPrefix(request);
			}
			case "POST queues/*/schedules" -> this.actions.changeSchedules(name, request);
			case "POST queues/*/groups" -> this.actions.changeGroup(queue(name), request);
			case "POST queues/*/held-payload" -> this.actions.edit(queue(name), PayloadEdits.Target.HELD, request);
			case "POST queues/*/dead-payload" -> this.actions.edit(queue(name), PayloadEdits.Target.DEAD, request);
			case "POST sources/*" -> this.actions.changeSource(name, request);
			case "POST outbox" -> this.outbox.resendKept(request);
			case "POST outbox/*" -> this.outbox.sendAgain(name, request);
			case "DELETE outbox/*" -> this.outbox.drop(name, request);
			case "POST follow-ups/*" -> this.followUps.redirect(name, request);
			case "DELETE follow-ups/*" -> this.followUps.drop(name, request);
			case "DELETE actions/*" -> this.actions.cancel(name);
			case "POST access" -> {
				// Being allowed is all that was asked
			}
			default -> throw ApiException.unknown("document");
		}
		return null;
	}

	/** The path, with a star instead of the name in its second place. */
	private static String pattern(List<String> path) {
		List<String> parts = new ArrayList<>(path);
		if (parts.size() > 1) {
			parts.set(1, "*");
		}
		return String.join("/", parts);
	}

	private @Nullable QueueLayout filteredQueue(ApiRequest request) {
		String name = request.parameter("queue");
		return (name != null) ? queue(name) : null;
	}

	private QueueLayout queue(String name) {
		return this.queues.find(Ids.checkQueue(name)).orElseThrow(() -> ApiException.unknown("queue"));
	}

}
