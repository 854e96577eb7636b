package io.lowkiq.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.lowkiq.ShardCountMismatchException;

/**
 * Says what to change when a queue is recorded with another number of shards.
 */
class ShardCountMismatchFailureAnalyzer extends AbstractFailureAnalyzer<ShardCountMismatchException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ShardCountMismatchException cause) {
		return new FailureAnalysis(cause.getMessage() + ".",
				("Set lowkiq.workers.%1$s.shards=%2$d, or shards = %2$d at its @LowkiqWorker; "
						+ "lowkiq.queues.%1$s.shards=%2$d where this application only enqueues. To have %3$d shards, use a queue with another name, and drain this one first.")
					.formatted(cause.queue(), cause.recorded(), cause.declared()),
				cause);
	}

}
