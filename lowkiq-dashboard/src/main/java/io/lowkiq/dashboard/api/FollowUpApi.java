package io.lowkiq.dashboard.api;

import java.util.function.Consumer;

import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.FollowUpQueues;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.cluster.FollowUpReader;

/**
 * Answers the API's questions about follow-ups that have not reached their queues, and
 * drops or redirects them.
 */
final class FollowUpApi {

	private final LowkiqAdmin admin;

	private final FollowUpReader reader;

	FollowUpApi(LowkiqAdmin admin, FollowUpReader reader) {
		this.admin = admin;
		this.reader = reader;
	}

	ApiDocuments.FollowUps queues(long now) {
		FollowUpQueues waiting = this.reader.queues();
		return new ApiDocuments.FollowUps(now, waiting.complete(), waiting.queues());
	}

	void drop(String queue, ApiRequest request) {
		change(request, (asked) -> asked.dropFollowUps(queue));
	}

	void redirect(String queue, ApiRequest request) {
		String to = request.parameter("to");
		if (to == null) {
			throw ApiException.badRequest("The queue to which they go is named by the parameter 'to'");
		}
		change(request, (asked) -> asked.redirectFollowUps(queue, to));
	}

	private void change(ApiRequest request, Consumer<LowkiqAdmin> change) {
		try {
			change.accept(this.admin.as(ActionApi.user(request)));
		}
		catch (UnknownQueueException ex) {
			throw ApiException.notFound(String.valueOf(ex.getMessage()));
		}
		catch (IllegalArgumentException ex) {
			throw ApiException.badRequest(String.valueOf(ex.getMessage()));
		}
		this.reader.forget();
	}

}
