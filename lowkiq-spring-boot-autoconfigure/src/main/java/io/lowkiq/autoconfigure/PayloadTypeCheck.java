package io.lowkiq.autoconfigure;

import org.springframework.beans.factory.SmartInitializingSingleton;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;

/** Stops the start where a worker could read none of its payloads. */
class PayloadTypeCheck implements SmartInitializingSingleton {

	private final WorkerRegistry workers;

	private final PayloadCodec codec;

	PayloadTypeCheck(WorkerRegistry workers, PayloadCodec codec) {
		this.workers = workers;
		this.codec = codec;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.workers.all().forEach(this::check);
	}

	private void check(RegisteredWorker worker) {
		try {
			worker.codecOr(this.codec).check(worker.payloadType());
		}
		catch (PayloadException ex) {
			throw new LowkiqConfigurationException(
					"Payloads of queue '%s' could be enqueued, but its worker, %s, could not read them: %s"
						.formatted(worker.queue(), worker.workerClass().getName(), ex.getMessage()),
					"Make the payload type a record or a class with a constructor that Jackson finds, and an inner class static. "
							+ "Give an interface or an abstract class @JsonTypeInfo and @JsonSubTypes. "
							+ "Or define a PayloadCodec bean",
					ex);
		}
	}

}
