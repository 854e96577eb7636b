package io.lowkiq.samples.orders;

import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.kafka.LowkiqKafkaSource;

/**
 * Follows shipments. Its jobs come out of Kafka, where the key of a record is the order.
 */
@LowkiqWorker("shipments")
@LowkiqKafkaSource(topics = "shipments")
class ShipmentWorker implements Worker<OrderChange> {

	private final Journal journal;

	ShipmentWorker(Journal journal) {
		this.journal = journal;
	}

	@Override
	public void perform(String id, List<OrderChange> changes) {
		this.journal.write(id, "shipment", changes);
	}

}
