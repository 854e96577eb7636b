package io.lowkiq.dashboard.api;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.dashboard.actions.ActionStatus;
import io.lowkiq.dashboard.actions.PayloadEdits;
import io.lowkiq.dashboard.actions.QueueActions;
import io.lowkiq.dashboard.actions.RefusedEditException;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobSelection;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Answers the API's calls that change jobs, and says how far an action is. */
record ActionApi(QueueActions actions, PayloadEdits edits, ScheduleApi schedules, GroupApi groups, JsonMapper mapper) {

	/** Milliseconds. A call waits this long for its action to end. */
	private static final long PATIENCE = 400;

	private static final int MAX_IDS = 1_000;

	ActionStatus find(String run) {
		return this.actions.find(run).orElseThrow(() -> ApiException.unknown("action"));
	}

	List<ActionStatus> running() {
		return this.actions.running();
	}

	void cancel(String run) {
		this.actions.cancel(find(run).run());
	}

	ActionStatus start(QueueLayout queue, ApiRequest request) {
		ApiDocuments.ActionOrder order = body(request, ApiDocuments.ActionOrder.class,
				"{\"action\": \"delete\", \"ids\": [\"42\"]}");
		String label = (order.action() != null) ? order.action() : "";
		AdminAction action = AdminAction.of(label)
			.orElseThrow(() -> ApiException.badRequest("Unknown action; docs/dashboard.md lists the actions"));
		JobDocuments.Selection selected = order.selection();
		if (selected == null) {
			return this.actions.start(queue.name(), action, ids(action, order), user(request), PATIENCE);
		}
		JobSelection selection = Selections.of(queue, selected);
		if (order.ids() != null) {
			throw ApiException.badRequest("An action takes ids or a selection, not both");
		}
		if (!action.takes(selection.list())) {
			throw ApiException.badRequest("Jobs of the state %s can't be selected for the action %s"
				.formatted(selected.state(), action.label()));
		}
		return this.actions.start(queue.name(), action, selection, user(request), PATIENCE);
	}

	ActionStatus startPrefix(ApiRequest request) {
		ApiDocuments.PrefixOrder order = body(request, ApiDocuments.PrefixOrder.class,
				"{\"action\": \"find-prefix\", \"prefix\": \"acme:\"}");
		checkId(order.prefix());
		String prefix = String.valueOf(order.prefix());
		return switch (String.valueOf(order.action())) {
			case "find-prefix" -> this.actions.findPrefix(prefix, user(request), PATIENCE);
			case "erase-prefix" -> this.actions.erasePrefix(prefix, user(request), PATIENCE);
			default -> throw ApiException.badRequest("The actions on a prefix are find-prefix and erase-prefix");
		};
	}

	void changeSchedules(String queue, ApiRequest request) {
		this.schedules.change(queue,
				body(request, ApiDocuments.ActionOrder.class, "{\"action\": \"pause\", \"ids\": [\"nightly\"]}"),
				user(request));
	}

	void changeGroup(QueueLayout queue, ApiRequest request) {
		this.groups.change(queue,
				body(request, ApiDocuments.GroupOrder.class, "{\"action\": \"pause\", \"group\": \"acme\"}"),
				user(request));
	}

	void changeSource(String source, ApiRequest request) {
		this.schedules.changeSource(source, body(request, ApiDocuments.ActionOrder.class, "{\"action\": \"pause\"}"),
				user(request));
	}

	void edit(QueueLayout queue, PayloadEdits.Target target, ApiRequest request) {
		PayloadEdits.Edit edit = body(request, PayloadEdits.Edit.class,
				"{\"id\": \"42\", \"known\": \"{}\", \"text\": \"[]\"}");
		try {
			this.edits.edit(queue, target, edit, user(request));
		}
		catch (RefusedEditException ex) {
			throw new ApiException(switch (ex.reason()) {
				case INVALID -> 400;
				case FORBIDDEN -> 403;
				case CHANGED -> 409;
			}, String.valueOf(ex.getMessage()));
		}
	}

	private <T> T body(ApiRequest request, Class<T> type, String example) {
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

	static String user(ApiRequest request) {
		return (request.user() != null) ? request.user() : AuditLog.NOBODY;
	}

	private static List<String> ids(AdminAction action, ApiDocuments.ActionOrder order) {
		Set<String> ids = new LinkedHashSet<>((order.ids() != null) ? order.ids() : List.of());
		if (action.isNamed() == ids.isEmpty()) {
			throw ApiException
				.badRequest(action.isNamed() ? "This action needs ids or a selection" : "This action takes no ids");
		}
		if (ids.size() > MAX_IDS) {
			throw ApiException.badRequest(String.format(Locale.ROOT, "An action takes at most %,d ids", MAX_IDS));
		}
		ids.forEach(ActionApi::checkId);
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

}
