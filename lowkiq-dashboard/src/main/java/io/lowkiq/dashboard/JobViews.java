package io.lowkiq.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;

import io.lowkiq.store.KeptError;
import io.lowkiq.store.inspection.JobView;
import org.jspecify.annotations.Nullable;

/**
 * Makes documents of jobs.
 */
final class JobViews {

	private static final long EARLIEST = Instant.parse("2015-01-01T00:00:00Z").toEpochMilli();

	private static final long LATEST_AHEAD = Duration.ofDays(1).toMillis();

	private final PayloadText.Renderer renderer;

	private final ClusterReader reader;

	private final InstantSource clock;

	JobViews(PayloadText.Renderer renderer, ClusterReader reader, InstantSource clock) {
		this.renderer = renderer;
		this.reader = reader;
		this.clock = clock;
	}

	Views.Job job(JobView job, int maxCharacters, @Nullable String node) {
		List<PayloadText> payloads = job.payloads()
			.stream()
			.limit(this.renderer.shown())
			.map((payload) -> this.renderer.render(job.shard().queue(), job.id(), payload, maxCharacters))
			.toList();
		KeptError error = job.keptError();
		return new Views.Job(job.id(), job.shard().index(), job.state().name().toLowerCase(Locale.ROOT),
				job.performAt(), job.retryCount(), job.crashes(), (error != null) ? error.text() : null,
				job.payloadCount(), payloads, node,
				job.producers()
					.traces()
					.stream()
					.map((trace) -> new Views.Producer(trace.traceId(), trace.spanId()))
					.toList(),
				job.producers().more(), enqueuedAt(job), (error != null) ? error.attempts() : List.of(),
				this.reader.recent().maxRetryCount(job.shard().queue()));
	}

	/**
	 * When the oldest payload was enqueued: its score, if that can be such a time.
	 */
	private @Nullable Long enqueuedAt(JobView job) {
		if (job.payloads().isEmpty()) {
			return null;
		}
		double score = job.payloads().get(0).score();
		boolean plausible = score >= EARLIEST && score <= this.clock.millis() + LATEST_AHEAD;
		return plausible ? (long) score : null;
	}

}
