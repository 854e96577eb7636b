package io.lowkiq.dashboard.api;

import java.util.List;
import io.lowkiq.admin.FollowUpQueue;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.actions.ActionStatus;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.dashboard.jobs.JobDocuments;
import org.jspecify.annotations.Nullable;

/** The other documents of the JSON API, see {@code docs/appendix/dashboard-api.md}. */
public final class ApiDocuments {

	private ApiDocuments() {
	}

	public record Problem(String error) {
	}

	public record Session(@Nullable String user, boolean actionsEnabled, PayloadVisibility payloads,
			@Nullable CsrfHeader csrf, boolean sources) {
	}

	public record Audit(long now, List<AuditLog.Entry> entries) {
	}

	public record Outbox(long now, @Nullable String problem, List<WaitingPart> waiting, long waitingJobs,
			@Nullable Long waitingSince, long aside, List<UnsentJobView> jobs, @Nullable KeptJobsView kept) {
	}

	public record KeptJobsView(long rows, @Nullable Long since, long resent, @Nullable Long resentAt) {
	}

	public record WaitingPart(String part, String reason) {
	}

	public record UnsentJobView(long sequence, String queue, String id, String reason, long enqueuedAt) {
	}

	public record FollowUps(long now, boolean complete, List<FollowUpQueue> queues) {
	}

	public record RunningActions(long now, List<ActionStatus> running, boolean danger) {
	}

	/** The schedules of all queues, or of one. */
	public record Schedules(long now, List<Schedule> schedules) {
	}

	/** Times in milliseconds since 1970. */
	public record Schedule(String queue, String id, String cron, String zone, @Nullable Long next, @Nullable Long last,
			String lastResult, @Nullable String error, boolean paused, @Nullable String problem) {
	}

	public record Sources(long now, List<SourceStatus> sources) {
	}

	public record ActionOrder(@Nullable String action, @Nullable List<String> ids,
			JobDocuments.@Nullable Selection selection) {
	}

	public record PrefixOrder(@Nullable String action, @Nullable String prefix) {
	}

	public record GroupOrder(@Nullable String action, @Nullable String group, @Nullable Integer value,
			@Nullable Long period) {
	}

}
