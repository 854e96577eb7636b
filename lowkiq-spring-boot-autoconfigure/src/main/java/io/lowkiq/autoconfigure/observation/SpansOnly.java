package io.lowkiq.autoconfigure.observation;

import java.util.Set;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;

/**
 * Keeps observations of enqueues and runs from being meters, too: the timers of the same
 * names count these calls, with their outcome, and with one tag for all queues that don't
 * exist.
 */
final class SpansOnly implements MeterFilter {

	private static final Set<String> COUNTED = Set.of("lowkiq.enqueue", "lowkiq.perform");

	private static final Set<String> ACTIVE = Set.of("lowkiq.enqueue.active", "lowkiq.perform.active");

	@Override
	public MeterFilterReply accept(Meter.Id id) {
		boolean isOfObservation = COUNTED.contains(id.getName()) && id.getTag("outcome") == null;
		return (isOfObservation || ACTIVE.contains(id.getName())) ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
	}

}
