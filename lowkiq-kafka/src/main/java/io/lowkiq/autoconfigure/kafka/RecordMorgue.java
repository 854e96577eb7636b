package io.lowkiq.autoconfigure.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import io.lowkiq.UnknownQueueException;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;

/** Buries records where their {@link RecordWorker} can read them again. Thread-safe. */
final class RecordMorgue {

	private final String queue;

	private final String group;

	private final RedisStore store;

	RecordMorgue(String queue, String group, RedisStore store) {
		this.queue = queue;
		this.group = group;
		this.store = store;
	}

	/**
	 * Safe to repeat.
	 * @throws io.lowkiq.LowkiqException if it is not certainly in the morgue
	 */
	void bury(ConsumerRecord<byte[], byte[]> kafkaRecord, UnfitRecordException problem, double score) {
		if (this.store.queues().find(this.queue).isEmpty()) {
			throw new UnknownQueueException("Queue '%s' is not recorded in the store".formatted(this.queue));
		}
		String name = InternalQueue.RECORDS.nameFor(this.queue);
		QueueLayout layout = this.store.queues()
			.find(name)
			.orElseGet(() -> this.store.queues().register(name, RecordWorker.SETTINGS.shards()));
		String id = (problem.id() != null) ? problem.id() : RecordReader.name(kafkaRecord);
		byte[] payload = RecordWorker.CODEC.encode(GivenUpRecord.of(this.group, kafkaRecord), GivenUpRecord.class);
		this.store.actions().bury(layout.shardOf(id), id, payload, score, RecordWorker.describe(kafkaRecord, problem));
	}

}
