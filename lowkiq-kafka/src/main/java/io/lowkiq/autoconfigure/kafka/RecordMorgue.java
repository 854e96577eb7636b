package io.lowkiq.autoconfigure.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import io.lowkiq.UnknownQueueException;
import io.lowkiq.store.ChainedPayload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * Puts records into the morgue of a queue. Thread-safe.
 */
final class RecordMorgue {

	private final String queue;

	private final InspectableStore store;

	RecordMorgue(String queue, InspectableStore store) {
		this.queue = queue;
		this.store = store;
	}

	/**
	 * Buries a record. Safe to repeat.
	 * @param kafkaRecord the record
	 * @param problem why it can't become a job
	 * @param score the score of its payload
	 * @throws io.lowkiq.LowkiqException if it is not certainly in the morgue
	 */
	void bury(ConsumerRecord<byte[], byte[]> kafkaRecord, UnfitRecordException problem, double score) {
		QueueLayout layout = this.store.queues()
			.find(this.queue)
			.orElseThrow(
					() -> new UnknownQueueException("Queue '%s' is not recorded in the store".formatted(this.queue)));
		String id = (problem.id() != null) ? problem.id() : RecordReader.name(kafkaRecord);
		String error = "The record of topic %s, partition %d, offset %d can't become a job. %s"
			.formatted(kafkaRecord.topic(), kafkaRecord.partition(), kafkaRecord.offset(), problem.getMessage());
		// The value can't say that a job follows it
		byte[] payload = new ChainedPayload(RawValue.of(kafkaRecord.value()), null).toBytes();
		this.store.actions().bury(layout.shardOf(id), id, payload, score, error);
	}

}
