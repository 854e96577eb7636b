package io.lowkiq.observation;

import io.lowkiq.internal.LogText;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * Names an enqueue {@code lowkiq.enqueue}, as the timer of these calls, and its span
 * "send" with the queue. The span has the number of jobs, too, and the id if there is
 * only one.
 */
public class DefaultEnqueueObservationConvention implements EnqueueObservationConvention {

	@Override
	public String getName() {
		return "lowkiq.enqueue";
	}

	@Override
	public String getContextualName(EnqueueObservationContext context) {
		return "send " + context.call().queue();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(EnqueueObservationContext context) {
		return KeyValues.of("queue", context.call().queue());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(EnqueueObservationContext context) {
		int jobs = context.call().requests().size();
		KeyValues values = KeyValues.of(KeyValue.of("messaging.system", "lowkiq"),
				KeyValue.of("messaging.operation.name", "send"), KeyValue.of("messaging.operation.type", "send"),
				KeyValue.of("messaging.destination.name", context.call().queue()),
				KeyValue.of("messaging.batch.message_count", Integer.toString(jobs)));
		return (jobs == 1) ? values.and("lowkiq.id", LogText.of(context.call().requests().get(0).id())) : values;
	}

}
