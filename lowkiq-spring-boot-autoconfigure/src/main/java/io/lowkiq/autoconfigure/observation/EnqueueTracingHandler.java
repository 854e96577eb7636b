package io.lowkiq.autoconfigure.observation;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;

import org.springframework.core.Ordered;

import io.lowkiq.observation.EnqueueObservationContext;

/** Makes the span of an enqueue. */
final class EnqueueTracingHandler extends PropagatingSenderTracingObservationHandler<EnqueueObservationContext>
		implements Ordered {

	EnqueueTracingHandler(Tracer tracer) {
		super(tracer, new ProducerPropagator(tracer));
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof EnqueueObservationContext;
	}

	@Override
	public int getOrder() {
		return 0;
	}

}
