package io.lowkiq.autoconfigure.endpoint;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.lowkiq.engine.ServerStatus;
import io.lowkiq.metrics.QueueStatistics;

/**
 * The answer of the endpoint {@code lowkiq}. Null stands for no session, start, failure
 * or problem; the queues are null if the store can't be reached.
 */
public record LowkiqSummary(String node, @Nullable String session, ServerStatus.State state,
		@Nullable Instant startedAt, @Nullable String failure, List<ServerStatus.RefusedQueue> refusedQueues,
		List<String> stoppedQueues, Map<String, String> foreignQueues, @Nullable List<Queue> queues,
		@Nullable String storeProblem) implements OperationResponseBody {

	static LowkiqSummary of(ServerStatus status, @Nullable List<Queue> queues, @Nullable String storeProblem) {
		Throwable failure = status.failure();
		return new LowkiqSummary(status.node(), status.session(), status.state(), status.startedAt(),
				(failure != null) ? failure.toString() : null, status.refusedQueues(), status.stoppedQueues(),
				status.foreignQueues(), queues, (storeProblem != null) ? storeProblem : status.storeProblem());
	}

	/**
	 * A queue.
	 *
	 * @param lag how long the oldest due job has been due, in seconds
	 */
	public record Queue(String name, int shards, long fresh, long retry, long busy, long held, long dead, double lag,
			long processed, long failed, int unowned, int paused) {

		static Queue of(QueueStatistics.QueueCounts counts) {
			return new Queue(counts.queue(), counts.shards(), counts.fresh(), counts.retry(), counts.busy(),
					counts.held(), counts.dead(), counts.lag() / 1000.0, counts.processed(), counts.failed(),
					counts.unowned(), counts.paused());
		}

	}

}
