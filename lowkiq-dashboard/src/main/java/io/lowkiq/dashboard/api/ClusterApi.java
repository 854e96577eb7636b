package io.lowkiq.dashboard.api;

import java.util.Map;

import io.lowkiq.Ids;
import io.lowkiq.dashboard.cluster.ClusterDocuments;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.cluster.ClusterSnapshot;
import io.lowkiq.dashboard.cluster.ClusterViews;
import io.lowkiq.dashboard.cluster.Problems;
import io.lowkiq.dashboard.cluster.RedisFacts;
import io.lowkiq.dashboard.cluster.RedisReader;
import io.lowkiq.dashboard.cluster.RunningJobs;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.dashboard.history.History;
import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.dashboard.jobs.ErrorGroups;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.store.QueueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Answers the API's questions about the cluster as a whole: what it does, what went
 * wrong, and what it did before.
 */
record ClusterApi(ClusterReader reader, Problems problems, ErrorGroups errors, AuditLog audit, HistoryLog history,
		@Nullable RedisReader redisReader) {

	private static final int AUDIT_ENTRIES = 100;

	private static final int MAX_RUNNING = 200;

	/** By the clock of the store, as of the last reading. */
	long now() {
		return this.reader.recent().now();
	}

	Map<String, Object> stats() {
		return ClusterViews.stats(this.reader.recent());
	}

	ClusterDocuments.Overview overview() {
		ClusterSnapshot reading = this.reader.recent();
		return ClusterViews.overview(reading, this.problems.of(reading), this.problems.failing());
	}

	/** Whether something severe is wrong. */
	boolean isInDanger() {
		return this.problems.of(this.reader.recent())
			.stream()
			.anyMatch((problem) -> problem.severity().equals(ClusterDocuments.DANGER));
	}

	ClusterDocuments.QueueDetail queue(QueueLayout queue) {
		ClusterSnapshot reading = this.reader.recent();
		if (reading.queue(queue.name()).isEmpty()) {
			// It was recorded after the reading
			this.reader.forget();
			reading = this.reader.recent();
		}
		return ClusterViews.queue(reading, reading.queue(queue.name()).orElseThrow(() -> ApiException.unknown("queue")),
				this.problems.failing());
	}

	ClusterDocuments.Running running(ApiRequest request) {
		String queue = request.parameter("queue");
		if (queue != null) {
			Ids.checkQueue(queue);
		}
		ClusterSnapshot reading = this.reader.recent();
		int limit = request.number("limit", MAX_RUNNING, 1, MAX_RUNNING);
		return RunningJobs.of(reading, queue).view(reading.now(), limit);
	}

	ClusterDocuments.StackTrace stack(ApiRequest request) {
		ClusterSnapshot reading = this.reader.recent();
		ClusterDocuments.StackTrace stack = RunningJobs.of(reading, null)
			.stack(reading.now(), request.parameter("session"), request.parameter("thread"));
		if (stack == null) {
			throw ApiException.notFound("The node has not reported a stack trace of this thread");
		}
		return stack;
	}

	JobDocuments.Errors errors(@Nullable QueueLayout queue) {
		return this.errors.recent((queue != null) ? queue.name() : null);
	}

	History history(ApiRequest request) {
		String queue = request.parameter("queue");
		if (queue != null) {
			Ids.checkQueue(queue);
		}
		return this.history.history(queue, request.number("minutes", 60, 1, HistoryLog.MINUTES), now());
	}

	ApiDocuments.Audit audit(ApiRequest request) {
		int limit = request.number("limit", AUDIT_ENTRIES, 1, AuditLog.KEPT);
		boolean groups = "true".equals(request.parameter("groups"));
		Long from = request.time("from");
		Long until = request.time("until");
		if (from == null && until == null) {
			return new ApiDocuments.Audit(now(), this.audit.recent(groups, limit));
		}
		return new ApiDocuments.Audit(now(),
				this.audit.recent(groups, AuditLog.KEPT)
					.stream()
					.filter((entry) -> (from == null || from <= entry.at()) && (until == null || until > entry.at()))
					.limit(limit)
					.toList());
	}

	RedisFacts redis() {
		if (this.redisReader == null) {
			throw ApiException.notFound("The jobs of this application are not stored in Redis");
		}
		return this.redisReader.recent();
	}

}
