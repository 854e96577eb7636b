package io.lowkiq.observation;

import java.util.List;

import io.lowkiq.PerformInterceptor;
import io.lowkiq.Producers;
import io.lowkiq.TraceParent;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;

/**
 * A run that is observed. Its carrier gives the header {@code traceparent} of the
 * producer whose trace the run continues: the first one whose span is recorded, or else
 * the first one.
 */
public final class PerformObservationContext extends ReceiverContext<Producers> {

	private final PerformInterceptor.Call call;

	private final Producers producers;

	PerformObservationContext(PerformInterceptor.Call call, Producers producers) {
		super((carrier, key) -> key.equalsIgnoreCase(EnqueueObservationContext.HEADER) ? parent(carrier) : null,
				Kind.CONSUMER);
		this.call = call;
		this.producers = producers;
		setCarrier(producers);
	}

	private static @Nullable String parent(Producers producers) {
		List<TraceParent> traces = producers.traces();
		return traces.stream()
			.filter(TraceParent::sampled)
			.findFirst()
			.or(() -> traces.stream().findFirst())
			.map(TraceParent::toString)
			.orElse(null);
	}

	/**
	 * The call that performs.
	 * @return the call
	 */
	public PerformInterceptor.Call call() {
		return this.call;
	}

	/**
	 * The producers that the span of the run is linked to, and how many more there were.
	 * @return the producers of the payloads that are performed
	 */
	public Producers producers() {
		return this.producers;
	}

}
