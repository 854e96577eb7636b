package io.lowkiq.dashboard.api;

import java.time.Duration;

import io.lowkiq.GroupPolicy;
import io.lowkiq.admin.GroupAdmin;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.cluster.ClusterDocuments;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.cluster.QueueGroups;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.QueueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Answers the API's questions about the groups of a queue, and changes what is set for
 * them.
 */
final class GroupApi {

	private final ShardInspection inspection;

	private final LowkiqAdmin admin;

	private final ClusterReader reader;

	GroupApi(ShardInspection inspection, LowkiqAdmin admin, ClusterReader reader) {
		this.inspection = inspection;
		this.admin = admin;
		this.reader = reader;
	}

	ClusterDocuments.Groups groups(QueueLayout queue, ApiRequest request) {
		return QueueGroups.of(this.reader.recent(), queue, this.inspection, this.admin.groups(queue.name()),
				this.admin.forgottenGroups(queue.name()).size(),
				new QueueGroups.Wanted(request.constant("show", QueueGroups.Show.class, QueueGroups.Show.WAITING),
						request.parameter("find"), request.parameter("after")));
	}

	/** The group of an id; null if it has none. */
	JobDocuments.@Nullable JobGroup of(QueueLayout queue, String id) {
		return QueueGroups.separator(this.reader.recent(), queue)
			.map((separator) -> new GroupPolicy(separator).groupOf(id))
			.filter((group) -> !group.isEmpty())
			.map((group) -> new JobDocuments.JobGroup(group,
					this.admin.groups(queue.name()).getOrDefault(group, GroupOverride.NONE).pause() != null))
			.orElse(null);
	}

	void change(QueueLayout queue, ApiDocuments.GroupOrder order, String user) {
		if ("restore".equals(order.action())) {
			this.admin.as(user).restoreGroups(queue.name());
			return;
		}
		try {
			GroupAdmin group = this.admin.as(user).group(queue.name(), required("group", order.group()));
			switch (required("action", order.action())) {
				case "pause" -> group.pause();
				case "resume" -> group.resume();
				case "concurrency" -> group.concurrency(required("value", order.value()));
				case "rate" ->
					group.rate(required("value", order.value()), Duration.ofMillis(required("period", order.period())));
				case "weight" -> group.weight(required("value", order.value()));
				case "reset" -> group.reset();
				default -> throw ApiException.badRequest(
						"The actions on groups are pause, resume, concurrency, rate, weight, reset and restore");
			}
		}
		catch (IllegalArgumentException ex) {
			throw ApiException.badRequest(String.valueOf(ex.getMessage()));
		}
	}

	private static <T> T required(String name, @Nullable T value) {
		if (value == null) {
			throw ApiException.badRequest("This action on a group needs \"%s\"".formatted(name));
		}
		return value;
	}

}
