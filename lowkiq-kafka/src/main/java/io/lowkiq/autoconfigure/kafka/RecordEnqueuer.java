package io.lowkiq.autoconfigure.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Set;
import java.util.function.LongSupplier;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobRequest;
import io.lowkiq.LayoutMismatchException;
import io.lowkiq.LowkiqClient;
import io.lowkiq.NotEnqueued;
import io.lowkiq.PartlyEnqueuedException;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.Shard;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the records of a source into the store, as jobs or into the morgue. What fails
 * waits, and holds back only later records of its id and shard; of its partition if its
 * id is not known. Thread-safe: the consumers of a source share it.
 * <p>
 * A record is given up at once if it can't ever become a job.
 */
final class RecordEnqueuer {

	private static final Logger logger = LoggerFactory.getLogger(RecordEnqueuer.class);

	/** How long it counts that others could be enqueued. */
	private static final Duration RECENT = Duration.ofSeconds(30);

	private final String queue;

	private final RecordReading reading;

	private final LowkiqClient client;

	private final StoreEnqueuer shards;

	private final LongSupplier nanoTime;

	/** When a record was last enqueued; written and read by the threads of consumers. */
	private volatile @Nullable Long enqueuedAt;

	RecordEnqueuer(String queue, RecordReader reader, RecordDeserializers deserializers, LowkiqClient client,
			StoreEnqueuer shards, RecordMorgue morgue, LongSupplier nanoTime) {
		this.queue = queue;
		this.reading = new RecordReading(reader, deserializers, morgue, nanoTime);
		this.client = client;
		this.shards = shards;
		this.nanoTime = nanoTime;
	}

	/**
	 * Returns the job of a record; null if it is to have none.
	 * @throws UnfitRecordException if it can't become one
	 */
	@Nullable JobRequest<?> read(ConsumerRecord<byte[], byte[]> raw) {
		return this.reading.read(raw);
	}

	/** Tries to bring records into the store. */
	RecordAttempt.Result attempt(List<WaitingRecord> records, boolean retry) {
		RecordAttempt attempt = new RecordAttempt(this::shardOf);
		try {
			enqueue(this.reading.ready(records, retry, attempt), attempt);
		}
		catch (UnknownShardException ex) {
			attempt.storeDown(ex.getCause());
		}
		warnOfBuried(attempt.buried());
		return attempt.result(records);
	}

	private void warnOfBuried(List<WaitingRecord> buried) {
		if (!buried.isEmpty()) {
			WaitingRecord first = buried.get(0);
			logger.warn(
					"{} records can't become jobs of queue '{}' and are in the morgue of queue '{}'. The first is {}: {}",
					buried.size(), this.queue, InternalQueue.RECORDS.nameFor(this.queue),
					RecordReader.name(first.raw()), LogText.of(String.valueOf(first.reason().getMessage())));
		}
	}

	private Shard shardOf(String id) {
		try {
			return this.shards.shardOf(this.queue, id);
		}
		catch (RuntimeException ex) {
			throw new UnknownShardException(ex);
		}
	}

	/** Records that were refused before go by themselves, so that they fail no others. */
	private void enqueue(List<WaitingRecord> ready, RecordAttempt attempt) {
		List<WaitingRecord> refused = ready.stream().filter((each) -> each.problem() != null).toList();
		List<WaitingRecord> others = new ArrayList<>(ready);
		others.removeAll(refused);
		refused.forEach((each) -> enqueue(each, attempt));
		others.removeIf(attempt::isHeld);
		if (!others.isEmpty()) {
			enqueueAll(others, attempt);
		}
	}

	private void enqueueAll(List<WaitingRecord> records, RecordAttempt attempt) {
		ReadJobs jobs = new ReadJobs(records);
		try {
			this.client.enqueueAll(this.queue, jobs);
			enqueued(records, attempt);
		}
		catch (PartlyEnqueuedException ex) {
			if (!ex.queue().equals(this.queue)) {
				// An interceptor has enqueued something of its own
				failed(records, ex, attempt);
			}
			else if (!ex.notEnqueued().isEmpty()) {
				attempt.failed(ex);
				settleConfirmed(records.subList(0, jobs.count()), ex, attempt);
			}
			else {
				int payloads = Math.min(ex.payloads(), records.size());
				enqueued(records.subList(0, payloads), attempt);
				failed(records.subList(payloads, records.size()), ex.getCause(), attempt);
			}
		}
		catch (Throwable ex) {
			failed(records, ex, attempt);
		}
	}

	private void enqueued(List<WaitingRecord> records, RecordAttempt attempt) {
		records.forEach(attempt::settle);
		this.enqueuedAt = now();
	}

	/** Nothing is certain of any of the records. */
	private void failed(List<WaitingRecord> records, @Nullable Throwable reason, RecordAttempt attempt) {
		if (reason == null || isOfStore(reason)) {
			refuseAll(records, reason, attempt);
		}
		else {
			records.forEach((each) -> enqueueUnlessRefused(each, attempt));
		}
	}

	/** If they are all of one shard, others may still be in order. */
	private void refuseAll(List<WaitingRecord> records, @Nullable Throwable reason, RecordAttempt attempt) {
		Set<Shard> refusing = new HashSet<>();
		if (reason instanceof StoreException) {
			records.forEach((each) -> refusing.add(shardOf(each.requiredJob().id())));
		}
		if (refusing.size() == 1) {
			attempt.failed(reason);
			Shard shard = refusing.iterator().next();
			records.forEach((each) -> each.refusedBy(shard));
		}
		else {
			attempt.storeDown(reason);
		}
	}

	/** Settles the records whose shards have confirmed them. */
	private void settleConfirmed(List<WaitingRecord> read, PartlyEnqueuedException partly, RecordAttempt attempt) {
		boolean isOfJobs = partly.payloads() == read.size() && partly.notEnqueued()
			.stream()
			.allMatch((some) -> some.positions()
				.stream()
				.allMatch((position) -> shardOf(read.get(position).requiredJob().id()).index() == some.shard()));
		if (!isOfJobs) {
			// An interceptor has changed them
			return;
		}
		List<WaitingRecord> confirmed = new ArrayList<>(read);
		for (NotEnqueued some : partly.notEnqueued()) {
			for (int position : some.positions()) {
				WaitingRecord record = read.get(position);
				record.refusedBy(shardOf(record.requiredJob().id()));
				confirmed.remove(record);
			}
		}
		enqueued(confirmed, attempt);
	}

	/** Unless the record waits for its shard: then it must not hold up the others. */
	private void enqueueUnlessRefused(WaitingRecord each, RecordAttempt attempt) {
		if (each.shard() != null) {
			attempt.hold(each);
		}
		else {
			enqueue(each, attempt);
		}
	}

	/** Enqueues one by itself. A shard that doesn't take it holds up no other shard. */
	private void enqueue(WaitingRecord each, RecordAttempt attempt) {
		if (attempt.isHeld(each) || attempt.hasFailed()) {
			return;
		}
		JobRequest<?> job = each.requiredJob();
		try {
			this.client.enqueue(this.queue, job);
			enqueued(List.of(each), attempt);
		}
		catch (Throwable ex) {
			if (isOfStore(ex)) {
				attempt.failed(ex);
				each.refusedBy(shardOf(job.id()));
				attempt.hold(each);
			}
			else {
				refused(each, job, ex, attempt);
			}
		}
	}

	private void refused(WaitingRecord each, JobRequest<?> job, Throwable reason, RecordAttempt attempt) {
		Long last = this.enqueuedAt;
		long now = now();
		boolean othersPass = last != null && each.hasFailedBefore(last) && now - last < RECENT.toNanos();
		String message = (reason instanceof Error) ? reason.toString() : String.valueOf(reason.getMessage());
		each.failed(new UnfitRecordException(job.id(), message, reason), othersPass, now);
		if (each.isGivenUp()) {
			this.reading.bury(each, attempt);
		}
		else {
			attempt.hold(each);
		}
	}

	/** Whether the store or the queue is at fault, and not a record. */
	private static boolean isOfStore(Throwable problem) {
		return problem instanceof StoreException || problem instanceof UnknownQueueException
				|| problem instanceof InvalidQueueException || problem instanceof LayoutMismatchException;
	}

	private long now() {
		return this.nanoTime.getAsLong();
	}

	/** Jobs that count how many of them a client has read. */
	private static final class ReadJobs implements Iterable<JobRequest<?>> {

		private final List<JobRequest<?>> jobs = new ArrayList<>();

		private ListIterator<JobRequest<?>> iterator;

		ReadJobs(List<WaitingRecord> records) {
			records.forEach((each) -> this.jobs.add(each.requiredJob()));
			this.iterator = this.jobs.listIterator();
		}

		@Override
		public Iterator<JobRequest<?>> iterator() {
			this.iterator = this.jobs.listIterator();
			return this.iterator;
		}

		int count() {
			return this.iterator.nextIndex();
		}

	}

	/** Thrown if the shards of the queue are not known. */
	private static final class UnknownShardException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		UnknownShardException(RuntimeException cause) {
			super(cause);
		}

	}

}
