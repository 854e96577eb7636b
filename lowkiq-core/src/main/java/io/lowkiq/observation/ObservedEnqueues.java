package io.lowkiq.observation;

import java.util.function.Consumer;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.TraceParent;
import io.lowkiq.client.EnqueueTracing;
import io.lowkiq.store.job.TracedProducer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** Observes enqueues. Thread-safe. */
public final class ObservedEnqueues implements EnqueueTracing {

	private static final EnqueueObservationConvention DEFAULT = new DefaultEnqueueObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable EnqueueObservationConvention convention;

	private final int maxProducers;

	/**
	 * Observes enqueues.
	 * @param registry where they are observed
	 * @param convention names them; null for the default
	 * @param maxProducers how many producers of a job are kept, 1 to
	 * {@value TracedProducer#MAX_PRODUCERS}
	 */
	public ObservedEnqueues(ObservationRegistry registry, @Nullable EnqueueObservationConvention convention,
			int maxProducers) {
		this.registry = registry;
		this.convention = convention;
		this.maxProducers = maxProducers;
	}

	@Override
	public void trace(EnqueueInterceptor.Call call, Consumer<@Nullable TracedProducer> enqueue) {
		EnqueueObservationContext context = new EnqueueObservationContext(call);
		Observation.createNotStarted(this.convention, DEFAULT, () -> context, this.registry)
			.observe(() -> enqueue.accept(producer(context.traceParent())));
	}

	private @Nullable TracedProducer producer(@Nullable TraceParent trace) {
		return (trace != null) ? new TracedProducer(trace, this.maxProducers) : null;
	}

}
