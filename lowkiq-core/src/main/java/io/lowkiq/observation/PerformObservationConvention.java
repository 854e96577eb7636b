package io.lowkiq.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of a run and its key values. A bean replaces
 * {@link DefaultPerformObservationConvention}.
 */
public interface PerformObservationConvention extends ObservationConvention<PerformObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof PerformObservationContext;
	}

}
