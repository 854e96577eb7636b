package io.lowkiq.dashboard.api;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.ScheduleStatus;

/**
 * Answers the API's questions about schedules and sources, and changes schedules.
 */
final class ScheduleApi {

	private final LowkiqAdmin admin;

	ScheduleApi(LowkiqAdmin admin) {
		this.admin = admin;
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

	void change(String queue, ApiDocuments.ActionOrder order, String user) {
		List<String> ids = order.ids();
		String action = (order.action() != null) ? order.action() : "";
		if (ids == null || ids.isEmpty() || order.selection() != null) {
			throw ApiException.badRequest("The action is done to schedules that are named: \"ids\": [\"nightly\"]");
		}
		LowkiqAdmin asked = this.admin.as(user);
		try {
			for (String id : ids) {
				switch (action) {
					case "run" -> asked.runSchedule(queue, id);
					case "pause" -> asked.pauseSchedule(queue, id);
					case "resume" -> asked.resumeSchedule(queue, id);
					default -> throw ApiException.badRequest("The actions on schedules are run, pause and resume");
				}
			}
		}
		catch (IllegalArgumentException ex) {
			throw ApiException.badRequest(String.valueOf(ex.getMessage()));
		}
		catch (IllegalStateException ex) {
			throw new ApiException(409, String.valueOf(ex.getMessage()));
		}
	}

}
