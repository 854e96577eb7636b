package io.lowkiq.store.job;

import io.lowkiq.TraceParent;

/**
 * A producer of a job that keeps 1 to {@value #MAX_PRODUCERS} of them, and counts others.
 */
public record TracedProducer(TraceParent trace, int most) {

	/** No more producers of a job can be kept. */
	public static final int MAX_PRODUCERS = 255;

	public TracedProducer {
		if (most < 1 || most > MAX_PRODUCERS) {
			throw new IllegalArgumentException(
					"%s producers of a job can't be kept; the number must be between 1 and %s".formatted(most,
							MAX_PRODUCERS));
		}
	}

}
