package io.lowkiq.autoconfigure.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.listener.BatchMessageListener;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobRequest;
import io.lowkiq.internal.LogText;
import io.lowkiq.LowkiqClient;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.store.StoreException;

/**
 * Enqueues what has been polled. Returns when all of it is in the store, as jobs or in
 * the morgue; then the container commits. Throws if that is not certain; then the
 * container calls again with the same records, and equal payloads with equal scores
 * merge. Thread-safe: the consumers of a source share it.
 */
final class KafkaSourceListener implements BatchMessageListener<Object, Object> {

	private static final Logger logger = LoggerFactory.getLogger(KafkaSourceListener.class);

	private final KafkaSource source;

	private final RecordReader reader;

	private final LowkiqClient client;

	private final RecordMorgue morgue;

	/**
	 * The failure of the last batch; null while all is well. Written and read by the
	 * threads of the consumers.
	 */
	private final AtomicReference<@Nullable RuntimeException> problem = new AtomicReference<>();

	/**
	 * A listener.
	 * @param source the source
	 * @param reader makes jobs of records
	 * @param client enqueues at once
	 * @param morgue where records go that can't become jobs
	 */
	KafkaSourceListener(KafkaSource source, RecordReader reader, LowkiqClient client, RecordMorgue morgue) {
		this.source = source;
		this.reader = reader;
		this.client = client;
		this.morgue = morgue;
	}

	@Override
	public void onMessage(List<ConsumerRecord<Object, Object>> records) {
		try {
			enqueue(records);
		}
		catch (RuntimeException ex) {
			if (this.problem.getAndSet(ex) == null) {
				logger.warn(
						"The records of {} can't be enqueued into queue '{}'. They are not committed, and their partitions pause until they can",
						this.source.topics(), this.source.queue(), ex);
			}
			throw ex;
		}
		if (this.problem.getAndSet(null) != null) {
			logger.info("The records of {} are enqueued into queue '{}' again", this.source.topics(),
					this.source.queue());
		}
	}

	private void enqueue(List<ConsumerRecord<Object, Object>> records) {
		Unfit unfit = new Unfit();
		List<JobRequest<?>> jobs = new ArrayList<>(records.size());
		List<ConsumerRecord<?, ?>> fit = new ArrayList<>(records.size());
		for (ConsumerRecord<?, ?> each : records) {
			try {
				jobs.add(this.reader.read(each));
				fit.add(each);
			}
			catch (UnfitRecordException ex) {
				unfit.add(each, ex);
			}
		}
		try {
			this.client.enqueueAll(this.source.queue(), jobs);
		}
		catch (RuntimeException ex) {
			failIfNotOfRecords(ex);
			enqueueEach(fit, jobs, unfit);
		}
		unfit.bury();
	}

	/** Enqueues the jobs one by one, because one of them was refused. */
	private void enqueueEach(List<ConsumerRecord<?, ?>> records, List<JobRequest<?>> jobs, Unfit unfit) {
		for (int i = 0; i < jobs.size(); i++) {
			JobRequest<?> job = jobs.get(i);
			try {
				this.client.enqueue(this.source.queue(), job);
			}
			catch (RuntimeException ex) {
				failIfNotOfRecords(ex);
				unfit.add(records.get(i), new UnfitRecordException(job.id(), String.valueOf(ex.getMessage()), ex));
			}
		}
	}

	/** Rethrows a problem with the store or the queue, because no record is at fault. */
	private static void failIfNotOfRecords(RuntimeException problem) {
		if (problem instanceof StoreException || problem instanceof UnknownQueueException
				|| problem instanceof InvalidQueueException || problem instanceof ShardCountMismatchException) {
			throw problem;
		}
	}

	/**
	 * The records of a batch that can't become jobs.
	 */
	private final class Unfit {

		private final List<ConsumerRecord<?, ?>> records = new ArrayList<>();

		private final List<UnfitRecordException> problems = new ArrayList<>();

		void add(ConsumerRecord<?, ?> kafkaRecord, UnfitRecordException reason) {
			this.records.add(kafkaRecord);
			this.problems.add(reason);
		}

		void bury() {
			if (this.records.isEmpty()) {
				return;
			}
			for (int i = 0; i < this.records.size(); i++) {
				ConsumerRecord<?, ?> each = this.records.get(i);
				KafkaSourceListener.this.morgue.bury(each, this.problems.get(i),
						KafkaSourceListener.this.reader.score(each));
			}
			logger.warn("{} records can't become jobs of queue '{}' and are in its morgue. The first is {}: {}",
					this.records.size(), KafkaSourceListener.this.source.queue(),
					RecordReader.name(this.records.get(0)),
					LogText.of(String.valueOf(this.problems.get(0).getMessage())));
		}

	}

}
