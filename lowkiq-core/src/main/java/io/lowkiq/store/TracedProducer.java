package io.lowkiq.store;

import io.lowkiq.TraceParent;

/**
 * A producer whose enqueues are traced.
 *
 * @param most how many producers of a job are kept at most, 1 to {@value #MAX_PRODUCERS};
 * the others are counted
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
