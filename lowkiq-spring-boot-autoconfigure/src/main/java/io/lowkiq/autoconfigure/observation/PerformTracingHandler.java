package io.lowkiq.autoconfigure.observation;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;

import org.springframework.core.Ordered;

import io.lowkiq.TraceParent;
import io.lowkiq.observation.PerformObservationContext;

/** Makes the span of a run, linked to the spans of all producers. */
final class PerformTracingHandler extends PropagatingReceiverTracingObservationHandler<PerformObservationContext>
		implements Ordered {

	PerformTracingHandler(Tracer tracer) {
		super(tracer, new ProducerPropagator(tracer));
	}

	@Override
	public Span.Builder customizeExtractedSpan(PerformObservationContext context, Span.Builder builder) {
		for (TraceParent producer : context.producers().traces()) {
			builder.addLink(new Link(ProducerPropagator.context(getTracer(), producer)));
		}
		return builder;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof PerformObservationContext;
	}

	@Override
	public int getOrder() {
		return 0;
	}

}
