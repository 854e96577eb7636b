package io.lowkiq.observation;

import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.TraceParent;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import org.jspecify.annotations.Nullable;

/**
 * An enqueue that is observed. Its carrier takes the header {@code traceparent} and
 * nothing else: that is what is kept with the job.
 */
public final class EnqueueObservationContext extends SenderContext<AtomicReference<@Nullable TraceParent>> {

	static final String HEADER = "traceparent";

	private final EnqueueInterceptor.Call call;

	EnqueueObservationContext(EnqueueInterceptor.Call call) {
		super((carrier, key, value) -> {
			TraceParent parsed = key.equalsIgnoreCase(HEADER) ? TraceParent.parse(value) : null;
			if (carrier != null && parsed != null) {
				carrier.set(parsed);
			}
		}, Kind.PRODUCER);
		this.call = call;
		setCarrier(new AtomicReference<>());
	}

	/**
	 * The call that enqueues.
	 * @return the call
	 */
	public EnqueueInterceptor.Call call() {
		return this.call;
	}

	/**
	 * The trace parent of the producer, kept with the jobs.
	 * @return the span of the enqueue; null if it has none
	 */
	public @Nullable TraceParent traceParent() {
		AtomicReference<@Nullable TraceParent> carrier = getCarrier();
		return (carrier != null) ? carrier.get() : null;
	}

}
