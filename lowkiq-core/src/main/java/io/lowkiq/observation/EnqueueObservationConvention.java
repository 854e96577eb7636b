package io.lowkiq.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of an enqueue and its key values. A bean replaces
 * {@link DefaultEnqueueObservationConvention}.
 */
public interface EnqueueObservationConvention extends ObservationConvention<EnqueueObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof EnqueueObservationContext;
	}

}
