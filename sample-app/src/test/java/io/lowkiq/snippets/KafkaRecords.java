package io.lowkiq.snippets;

import java.util.List;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.kafka.KafkaSource;
import io.lowkiq.autoconfigure.kafka.LowkiqKafkaSource;

import org.springframework.context.annotation.Bean;

class KafkaRecords {

	record OrderChange(long version, String status) {

		static final OrderChange DELETED = new OrderChange(Long.MAX_VALUE, "DELETED");

	}

	// tag::kafka-worker[]
	@LowkiqWorker("orders")
	@LowkiqKafkaSource(topics = "order-changes")
	class OrderWorker implements Worker<OrderChange> {

		@Override
		public void perform(String id, List<OrderChange> changes) {
			// id is the key of the records; the changes are in the order of their offsets
		}

	}
	// end::kafka-worker[]

	// tag::kafka-source[]
	@Bean
	KafkaSource orderChanges() {
		return KafkaSource.of("orders", "order-changes", "order-corrections")
			.id("#{headers['tenant']}/#{key}")
			.score("#{value.version}")
			.concurrency(3)
			.payload((record) -> (record.value() != null) ? record.value() : OrderChange.DELETED);
	}
	// end::kafka-source[]

}
