package io.lowkiq.observation;

import java.util.List;

import io.lowkiq.Batch;
import io.lowkiq.internal.LogText;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * Names a run {@code lowkiq.perform}, as the timer of these calls, and its span "process"
 * with the queue. The span has the number of payloads, too, the number of producers to
 * whom it has no link, and of a single job the id and the number of the attempt.
 */
public class DefaultPerformObservationConvention implements PerformObservationConvention {

	@Override
	public String getName() {
		return "lowkiq.perform";
	}

	@Override
	public String getContextualName(PerformObservationContext context) {
		return "process " + context.call().queue();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(PerformObservationContext context) {
		return KeyValues.of("queue", context.call().queue());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(PerformObservationContext context) {
		List<? extends Batch.Job<?>> jobs = context.call().jobs();
		int payloads = jobs.stream().mapToInt((job) -> job.payloads().size()).sum();
		KeyValues values = KeyValues.of(KeyValue.of("messaging.system", "lowkiq"),
				KeyValue.of("messaging.operation.name", "process"), KeyValue.of("messaging.operation.type", "process"),
				KeyValue.of("messaging.destination.name", context.call().queue()),
				KeyValue.of("messaging.batch.message_count", Integer.toString(payloads)));
		if (jobs.size() == 1) {
			values = values.and("lowkiq.id", LogText.of(jobs.get(0).id()))
				.and("lowkiq.attempt", Integer.toString(jobs.get(0).retryCount() + 2));
		}
		long more = context.producers().more();
		return (more > 0) ? values.and("lowkiq.more_producers", Long.toString(more)) : values;
	}

}
