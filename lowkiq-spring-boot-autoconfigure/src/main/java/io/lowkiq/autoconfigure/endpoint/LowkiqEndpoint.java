package io.lowkiq.autoconfigure.endpoint;

import java.security.Principal;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;

import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.metrics.QueueStatistics;

/** The Actuator endpoint {@code lowkiq}: a summary of this node and of the queues. */
@WebEndpoint(id = "lowkiq", defaultAccess = Access.READ_ONLY)
public class LowkiqEndpoint {

	private final LowkiqServer server;

	private final QueueStatistics statistics;

	private final LowkiqAdmin admin;

	private final ApplicationEventPublisher events;

	LowkiqEndpoint(LowkiqServer server, QueueStatistics statistics, LowkiqAdmin admin,
			ApplicationEventPublisher events) {
		this.server = server;
		this.statistics = statistics;
		this.admin = admin;
		this.events = events;
	}

	/** Describes this node, also while the store can't be reached, and the queues. */
	@ReadOperation
	public LowkiqSummary lowkiq() {
		try {
			return LowkiqSummary.of(this.server.status(),
					this.statistics.snapshot().queues().stream().map(LowkiqSummary.Queue::of).toList(), null);
		}
		catch (StoreException ex) {
			return LowkiqSummary.of(this.server.status(), null, ex.getMessage());
		}
	}

	/** Changes a queue, or a schedule of it. */
	@WriteOperation
	public WebEndpointResponse<Map<String, String>> act(SecurityContext caller, @Selector String queue,
			@Nullable String action, @Nullable String schedule) {
		Principal principal = caller.getPrincipal();
		String user = (principal != null) ? principal.getName() : "unknown";
		try {
			act(this.admin.as(user), user, queue, String.valueOf(action), schedule);
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		}
		catch (UnknownQueueException | InvalidQueueException | InvalidJobException | IllegalArgumentException
				| IllegalStateException ex) {
			return refused(ex, WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (StoreException ex) {
			return refused(ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private void act(LowkiqAdmin admin, String user, String queue, String action, @Nullable String schedule) {
		if (action.endsWith("-schedule") && schedule == null) {
			throw new IllegalArgumentException("The action %s needs the id of a 'schedule'".formatted(action));
		}
		if (!action.endsWith("-schedule") && schedule != null) {
			throw new IllegalArgumentException("The action %s takes no schedule".formatted(action));
		}
		switch (action) {
			case "pause" -> admin.pause(queue);
			case "resume" -> admin.resume(queue);
			case "stop" -> published(user, action, queue, this.server.stopQueue(queue));
			case "start" -> published(user, action, queue, this.server.startQueue(queue));
			case "pause-schedule" -> admin.pauseSchedule(queue, String.valueOf(schedule));
			case "resume-schedule" -> admin.resumeSchedule(queue, String.valueOf(schedule));
			default -> throw new IllegalArgumentException(
					"Unknown action '%s'. Known actions: pause, resume, stop, start, pause-schedule, resume-schedule"
						.formatted(action));
		}
	}

	private void published(String user, String action, String queue, boolean changed) {
		this.events.publishEvent(new AdminEvent(user, action + "-on-node", queue, List.of(), changed ? 1 : 0,
				AdminEvent.Result.DONE, "Queue '%s' is %s on node %s".formatted(queue,
						action.equals("stop") ? "stopped" : "served", this.server.status().node())));
	}

	private static WebEndpointResponse<Map<String, String>> refused(RuntimeException problem, int status) {
		return new WebEndpointResponse<>(Map.of("error", String.valueOf(problem.getMessage())), status);
	}

}
