package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.List;

import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.JobLogContext;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each run to {@value #NAME} at debug: done jobs leave no other trace. Thread-safe.
 */
final class RunLog {

	static final String NAME = "io.lowkiq.runs";

	private static final Logger logger = LoggerFactory.getLogger(NAME);

	private final String node;

	RunLog(String node) {
		this.node = node;
	}

	/** A job was performed, with an outcome that the store has not applied yet. */
	void ended(String queue, ReadableJob job, List<Outcome> outcomes, Duration took) {
		if (!logger.isDebugEnabled()) {
			return;
		}
		int attempt = job.retryCount() + 2;
		int payloads = job.payloads().size();
		String outcome = outcome(outcomes);
		JobLogContext context = JobLogContext.begin(queue, List.of(job.id()));
		try {
			logger.atDebug()
				.addKeyValue("lowkiq.outcome", outcome)
				.addKeyValue("lowkiq.duration", took.toMillis())
				.addKeyValue("lowkiq.attempt", attempt)
				.addKeyValue("lowkiq.payloads", payloads)
				.addKeyValue("lowkiq.node", this.node)
				.log("Job '{}' of queue '{}': {}{} after {} ms, attempt {}, payloads {}, node {}", LogText.of(job.id()),
						queue, outcome, next(outcomes), took.toMillis(), attempt, payloads, this.node);
		}
		finally {
			context.end();
		}
	}

	private static String outcome(List<Outcome> outcomes) {
		Outcome last = outcomes.get(outcomes.size() - 1);
		if (last instanceof Outcome.PartlyDone part) {
			return !part.dead().isEmpty() ? "dead" : part.failed() ? "discarded" : "done";
		}
		return ((outcomes.size() > 1) ? "partly done, " : "") + ofRest(last);
	}

	private static String ofRest(Outcome last) {
		if (last instanceof Outcome.Done) {
			return "done";
		}
		return (last instanceof Outcome.Retry) ? "retried" : (last instanceof Outcome.Hold) ? "on hold" : "returned";
	}

	private static String next(List<Outcome> outcomes) {
		Outcome last = outcomes.get(outcomes.size() - 1);
		long delay = (last instanceof Outcome.Retry retry) ? retry.delay() : (last instanceof Outcome.Returned returned)
				? returned.delay() : (last instanceof Outcome.Unreadable unreadable) ? unreadable.delay() : 0;
		return (delay > 0) ? " in " + DurationText.of(Duration.ofMillis(delay)) : "";
	}

}
