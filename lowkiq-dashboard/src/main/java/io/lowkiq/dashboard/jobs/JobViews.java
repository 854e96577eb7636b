package io.lowkiq.dashboard.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;

import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Failure;
import org.jspecify.annotations.Nullable;

/** Makes documents of jobs. */
public final class JobViews {

	/** Maximum number of payloads of a job in a list. */
	public static final int LIST_PAYLOADS = 5;

	/** Maximum number of characters of a payload in a list. */
	public static final int LIST_CHARACTERS = 4_096;

	private static final long EARLIEST = Instant.parse("2015-01-01T00:00:00Z").toEpochMilli();

	private static final long LATEST_AHEAD = Duration.ofDays(1).toMillis();

	private final PayloadText.Renderer renderer;

	private final ClusterReader reader;

	private final InstantSource clock;

	public JobViews(PayloadText.Renderer renderer, ClusterReader reader, InstantSource clock) {
		this.renderer = renderer;
		this.reader = reader;
		this.clock = clock;
	}

	/**
	 * The document of a job.
	 * @param node the node that runs it; null if none
	 */
	public JobDocuments.Job job(JobView job, int maxCharacters, @Nullable String node) {
		List<PayloadText> payloads = job.payloads()
			.stream()
			.limit(this.renderer.shown())
			.map((payload) -> this.renderer.render(job.shard().queue(), job.id(), payload, maxCharacters))
			.toList();
		Failure failure = job.failure();
		return new JobDocuments.Job(job.id(), job.shard().index(), job.state().name().toLowerCase(Locale.ROOT),
				job.performAt(), job.retryCount(), job.crashes(), job.error(), job.payloadCount(), payloads, node,
				job.producers()
					.traces()
					.stream()
					.map((trace) -> new JobDocuments.Producer(trace.traceId(), trace.spanId()))
					.toList(),
				job.producers().more(), enqueuedAt(job), (failure != null) ? failure.attempts() : List.of(),
				this.reader.recent().maxRetryCount(job.shard().queue()));
	}

	/** When the oldest payload was enqueued: its score, if that can be such a time. */
	private @Nullable Long enqueuedAt(JobView job) {
		if (job.payloads().isEmpty()) {
			return null;
		}
		double score = job.payloads().get(0).score();
		boolean plausible = score >= EARLIEST && score <= this.clock.millis() + LATEST_AHEAD;
		return plausible ? (long) score : null;
	}

}
