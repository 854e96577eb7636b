package io.lowkiq.dashboard;

import java.util.List;
import java.util.Locale;

import io.lowkiq.store.inspection.JobView;
import org.jspecify.annotations.Nullable;

/**
 * Makes documents of jobs.
 */
final class JobViews {

	private final PayloadText.Renderer renderer;

	JobViews(PayloadText.Renderer renderer) {
		this.renderer = renderer;
	}

	Views.Job job(JobView job, int maxCharacters, @Nullable String node) {
		List<PayloadText> payloads = job.payloads()
			.stream()
			.map((payload) -> this.renderer.render(job.shard().queue(), job.id(), payload, maxCharacters))
			.toList();
		return new Views.Job(job.id(), job.shard().index(), job.state().name().toLowerCase(Locale.ROOT),
				job.performAt(), job.retryCount(), job.crashes(), job.error(), job.payloadCount(), payloads, node,
				job.producers()
					.traces()
					.stream()
					.map((trace) -> new Views.Producer(trace.traceId(), trace.spanId()))
					.toList(),
				job.producers().more());
	}

}
