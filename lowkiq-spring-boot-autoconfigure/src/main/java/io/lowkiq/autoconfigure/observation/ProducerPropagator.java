package io.lowkiq.autoconfigure.observation;

import java.util.List;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.jspecify.annotations.Nullable;

import io.lowkiq.TraceParent;

/** Carries the producer's span across the queue, in one form, whatever HTTP has. */
final class ProducerPropagator implements Propagator {

	private static final String HEADER = "traceparent";

	/** Of the id of a trace; some tracers make shorter ones. */
	private static final int TRACE_ID_LENGTH = 32;

	private final Tracer tracer;

	ProducerPropagator(Tracer tracer) {
		this.tracer = tracer;
	}

	@Override
	public List<String> fields() {
		return List.of(HEADER);
	}

	@Override
	public <C> void inject(TraceContext context, @Nullable C carrier, Setter<C> setter) {
		if (!context.traceId().isEmpty() && context.traceId().length() <= TRACE_ID_LENGTH) {
			String traceId = "0".repeat(TRACE_ID_LENGTH - context.traceId().length()) + context.traceId();
			boolean sampled = Boolean.TRUE.equals(context.sampled());
			setter.set(carrier, HEADER, "00-" + traceId + "-" + context.spanId() + (sampled ? "-01" : "-00"));
		}
	}

	@Override
	public <C> Span.Builder extract(@Nullable C carrier, Getter<C> getter) {
		Span.Builder builder = this.tracer.spanBuilder();
		String header = (carrier != null) ? getter.get(carrier, HEADER) : null;
		TraceParent parent = (header != null) ? TraceParent.parse(header) : null;
		return (parent != null) ? builder.setParent(context(this.tracer, parent)) : builder;
	}

	/** The context by which a tracer knows the span of a producer. */
	static TraceContext context(Tracer tracer, TraceParent producer) {
		return tracer.traceContextBuilder()
			.traceId(producer.traceId())
			.spanId(producer.spanId())
			.sampled(producer.sampled())
			.build();
	}

}
