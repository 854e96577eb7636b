package io.lowkiq.dashboard.api;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.ScheduleStatus;

/** Answers the API's questions about schedules and sources, and changes them. */
final class ScheduleApi {

	private final LowkiqAdmin admin;

	private final Runnable changed;

	ScheduleApi(LowkiqAdmin admin, Runnable changed) {
		this.admin = admin;
		this.changed = changed;
	}

	ApiDocuments.Schedules schedules(long now, @Nullable String queue) {
		return new ApiDocuments.Schedules(now,
				this.admin.schedules()
					.stream()
					.filter((each) -> queue == null || each.queue().equals(queue))
					.map(ScheduleApi::document)
					.toList());
	}

	private static ApiDocuments.Schedule document(ScheduleStatus status) {
		return new ApiDocuments.Schedule(status.queue(), status.id(), status.cron(), status.zone(),
				millis(status.next()), millis(status.last()), status.lastResult().name().toLowerCase(Locale.ROOT),
				status.error(), status.paused(), status.problem());
	}

	private static @Nullable Long millis(@Nullable Instant time) {
		return (time != null) ? time.toEpochMilli() : null;
	}

	ApiDocuments.Sources sources(long now) {
		return new ApiDocuments.Sources(now, this.admin.sources());
	}

	/** Whether this application has sources. */
	boolean hasSources() {
		return !this.admin.sources().isEmpty();
	}

	void change(String queue, ApiDocuments.ActionOrder order, String user) {
		List<String> ids = order.ids();
		if (ids == null || ids.isEmpty() || order.selection() != null) {
			throw ApiException.badRequest("The action is done to schedules that are named: \"ids\": [\"nightly\"]");
		}
		LowkiqAdmin asked = this.admin.as(user);
		for (String id : ids) {
			change(() -> {
				switch (action(order)) {
					case "run" -> asked.runSchedule(queue, id);
					case "pause" -> asked.pauseSchedule(queue, id);
					case "resume" -> asked.resumeSchedule(queue, id);
					default -> throw ApiException.badRequest("The actions on schedules are run, pause and resume");
				}
			});
		}
		this.changed.run();
	}

	void changeSource(String source, ApiDocuments.ActionOrder order, String user) {
		LowkiqAdmin asked = this.admin.as(user);
		change(() -> {
			switch (action(order)) {
				case "pause" -> asked.pauseSource(source);
				case "resume" -> asked.resumeSource(source);
				default -> throw ApiException.badRequest("The actions on sources are pause and resume");
			}
		});
	}

	private static String action(ApiDocuments.ActionOrder order) {
		return (order.action() != null) ? order.action() : "";
	}

	private static void change(Runnable call) {
		try {
			call.run();
		}
		catch (IllegalArgumentException ex) {
			throw ApiException.badRequest(String.valueOf(ex.getMessage()));
		}
		catch (IllegalStateException ex) {
			throw new ApiException(409, String.valueOf(ex.getMessage()));
		}
	}

}
