package io.lowkiq.autoconfigure.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.NotEnqueued;
import io.lowkiq.store.PartlyEnqueuedException;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;

/**
 * Brings the records of a source into the store, as jobs or into the morgue. What fails
 * waits, and holds back only later records of its id and shard; of its partition if its
 * id is not known. Thread-safe: the consumers of a source share it.
 * <p>
 * A record is given up at once if it can't ever become a job. If the type of its error
 * doesn't say that, it is given up only after it has failed again several times while
 * others passed: either those that were enqueued meanwhile, or the last record that could
 * be read, which is read once more.
 */
final class RecordEnqueuer {

	private static final Logger logger = LoggerFactory.getLogger(RecordEnqueuer.class);

	/** How often a record may fail while others pass. */
	static final int MAX_FAILURES = 5;

	/** How long it counts that others could be enqueued. */
	private static final Duration RECENT = Duration.ofSeconds(30);

	private final String queue;

	private final RecordReader reader;

	private final RecordDeserializers deserializers;

	private final LowkiqClient client;

	private final StoreEnqueuer shards;

	private final RecordMorgue morgue;

	private final LongSupplier nanoTime;

	/**
	 * The last record that could be read; written and read by the threads of consumers.
	 */
	private volatile @Nullable ConsumerRecord<byte[], byte[]> control;

	/** When a record was last enqueued; written and read by the threads of consumers. */
	private volatile @Nullable Long enqueuedAt;

	/**
	 * An enqueuer.
	 * @param queue the queue's name
	 * @param reader makes jobs of records
	 * @param deserializers make objects of bytes
	 * @param client enqueues at once
	 * @param shards knows the shard of an id
	 * @param morgue where records go that are given up
	 * @param nanoTime the monotonic clock
	 */
	RecordEnqueuer(String queue, RecordReader reader, RecordDeserializers deserializers, LowkiqClient client,
			StoreEnqueuer shards, RecordMorgue morgue, LongSupplier nanoTime) {
		this.queue = queue;
		this.reader = reader;
		this.deserializers = deserializers;
		this.client = client;
		this.shards = shards;
		this.morgue = morgue;
		this.nanoTime = nanoTime;
	}

	/**
	 * Reads a record.
	 * @param raw the record
	 * @return its job; null if it is to have none
	 * @throws UnfitRecordException if it can't become a job
	 */
	@Nullable JobRequest<?> read(ConsumerRecord<byte[], byte[]> raw) {
		return this.reader.isSkipped(raw) ? null : this.reader.read(this.deserializers.deserialize(raw));
	}

	/**
	 * Tries to bring records into the store.
	 * @param records the records, those of a partition in order
	 * @param retry whether to try also what has failed before
	 * @return what still waits
	 */
	Result attempt(List<WaitingRecord> records, boolean retry) {
		return new Attempt(retry).of(records);
	}

	/**
	 * The result of an attempt.
	 *
	 * @param waiting the records that are not in the store, in their order
	 * @param problem why not; null if none waits
	 * @param storeDown whether nothing at all can be enqueued
	 */
	record Result(List<WaitingRecord> waiting, @Nullable Throwable problem, boolean storeDown) {
	}

	private final class Attempt {

		private final boolean retry;

		/** The places of the records that wait. */
		private final Set<Integer> left = new TreeSet<>();

		private final List<Integer> ready = new ArrayList<>();

		private final Set<TopicPartition> heldPartitions = new HashSet<>();

		private final Set<String> heldIds = new HashSet<>();

		private final Set<Shard> heldShards = new HashSet<>();

		private final List<WaitingRecord> buried = new ArrayList<>();

		/** Null until it was looked. */
		private @Nullable Boolean canRead;

		private @Nullable Throwable problem;

		private boolean storeDown;

		private Attempt(boolean retry) {
			this.retry = retry;
		}

		Result of(List<WaitingRecord> records) {
			try {
				for (int i = 0; i < records.size(); i++) {
					prepare(records.get(i), i);
				}
				enqueue(records);
			}
			catch (LowkiqStoreProblem ex) {
				this.problem = ex.getCause();
				this.storeDown = true;
				for (int i = 0; i < records.size(); i++) {
					if (!this.buried.contains(records.get(i))) {
						this.left.add(i);
					}
				}
			}
			if (!this.buried.isEmpty()) {
				WaitingRecord first = this.buried.get(0);
				logger.warn(
						"{} records can't become jobs of queue '{}' and are in the morgue of queue '{}'. The first is {}: {}",
						this.buried.size(), RecordEnqueuer.this.queue,
						InternalQueue.RECORDS.nameFor(RecordEnqueuer.this.queue), RecordReader.name(first.raw()),
						LogText.of(String.valueOf(reason(first).getMessage())));
			}
			List<WaitingRecord> waiting = this.left.stream().map(records::get).toList();
			return new Result(waiting, waiting.isEmpty() ? null : problemOf(waiting), this.storeDown);
		}

		private Throwable problemOf(List<WaitingRecord> waiting) {
			return (this.problem != null) ? this.problem
					: waiting.stream()
						.map(WaitingRecord::problem)
						.filter((each) -> each != null)
						.map(Throwable.class::cast)
						.findFirst()
						.orElseGet(() -> new IllegalStateException("Records wait for earlier ones"));
		}

		/** Reads a record, unless it has to wait for an earlier one. */
		private void prepare(WaitingRecord each, int place) {
			if (RecordEnqueuer.this.reader.isSkipped(each.raw())) {
				return;
			}
			if (!this.retry && each.isTried()) {
				hold(each, place);
				return;
			}
			if (each.job() == null && !each.isGivenUp()) {
				read(each);
			}
			JobRequest<?> job = each.job();
			if (each.isGivenUp() && !isHeld(each, reason(each).id())) {
				bury(each, place);
			}
			else if (job == null) {
				hold(each, place);
			}
			else if (isHeld(each, job.id())) {
				this.left.add(place);
			}
			else {
				this.ready.add(place);
			}
		}

		private boolean isHeld(WaitingRecord each, @Nullable String id) {
			return this.heldPartitions.contains(each.partition()) || (id != null && (this.heldIds.contains(id)
					|| (!this.heldShards.isEmpty() && this.heldShards.contains(shardOf(id)))));
		}

		private Shard shardOf(String id) {
			try {
				return RecordEnqueuer.this.shards.shardOf(RecordEnqueuer.this.queue, id);
			}
			catch (RuntimeException ex) {
				throw new LowkiqStoreProblem(ex);
			}
		}

		private void hold(WaitingRecord each, int place) {
			this.left.add(place);
			Shard shard = each.shard();
			UnfitRecordException failure = each.problem();
			JobRequest<?> job = each.job();
			String id = (failure != null) ? failure.id() : (job != null) ? job.id() : null;
			if (shard != null) {
				this.heldShards.add(shard);
			}
			else if (id != null) {
				this.heldIds.add(id);
			}
			else {
				this.heldPartitions.add(each.partition());
			}
		}

		private void read(WaitingRecord each) {
			try {
				each.read(job(each.raw()));
				RecordEnqueuer.this.control = each.raw();
			}
			catch (UnfitRecordException ex) {
				boolean othersPass = ErrorType.of(ex.getCause()) == ErrorType.UNKNOWN && canRead();
				each.failed(ex, othersPass, MAX_FAILURES, now());
			}
		}

		private JobRequest<?> job(ConsumerRecord<byte[], byte[]> raw) {
			return RecordEnqueuer.this.reader.read(RecordEnqueuer.this.deserializers.deserialize(raw));
		}

		/** Whether a record that could be read can be read now. */
		private boolean canRead() {
			ConsumerRecord<byte[], byte[]> known = RecordEnqueuer.this.control;
			Boolean result = this.canRead;
			if (result == null && known != null) {
				try {
					job(known);
					result = true;
				}
				catch (UnfitRecordException ex) {
					result = false;
				}
				this.canRead = result;
			}
			return result != null && result;
		}

		private void bury(WaitingRecord each, int place) {
			UnfitRecordException reason = reason(each);
			try {
				RecordEnqueuer.this.morgue.bury(each.raw(), reason, RecordEnqueuer.this.reader.score(each.raw()));
				this.buried.add(each);
			}
			catch (RuntimeException ex) {
				this.problem = ex;
				hold(each, place);
			}
		}

		private static UnfitRecordException reason(WaitingRecord each) {
			UnfitRecordException reason = each.problem();
			return (reason != null) ? reason : new UnfitRecordException(null, "It has failed", null);
		}

		/**
		 * Enqueues records that were refused before by themselves, and the others
		 * together, so that a refused one fails no other.
		 */
		private void enqueue(List<WaitingRecord> records) {
			List<Integer> others = new ArrayList<>(this.ready.size());
			for (int place : this.ready) {
				WaitingRecord each = records.get(place);
				if (each.problem() != null) {
					enqueue(each, place);
				}
				else {
					others.add(place);
				}
			}
			List<Integer> places = new ArrayList<>(others.size());
			List<JobRequest<?>> jobs = new ArrayList<>(others.size());
			for (int place : others) {
				JobRequest<?> job = records.get(place).job();
				if (job == null || isHeld(records.get(place), job.id())) {
					this.left.add(place);
				}
				else {
					places.add(place);
					jobs.add(job);
				}
			}
			if (!jobs.isEmpty()) {
				enqueue(records, places, jobs);
			}
		}

		private void enqueue(List<WaitingRecord> records, List<Integer> places, List<JobRequest<?>> jobs) {
			ReadJobs read = new ReadJobs(jobs);
			try {
				RecordEnqueuer.this.client.enqueueAll(RecordEnqueuer.this.queue, read);
				RecordEnqueuer.this.enqueuedAt = now();
			}
			catch (PartlyEnqueuedException ex) {
				if (!ex.queue().equals(RecordEnqueuer.this.queue)) {
					// An interceptor has enqueued something of its own
					failed(records, places, ex);
				}
				else if (!ex.notEnqueued().isEmpty()) {
					this.problem = ex;
					keep(records, places, jobs, read.count(), ex);
				}
				else {
					RecordEnqueuer.this.enqueuedAt = now();
					failed(records, places.subList(Math.min(ex.payloads(), places.size()), places.size()),
							ex.getCause());
				}
			}
			catch (Throwable ex) {
				failed(records, places, ex);
			}
		}

		/** Nothing is certain of any of the records. */
		private void failed(List<WaitingRecord> records, List<Integer> places, @Nullable Throwable reason) {
			if (reason == null || isOfStore(reason)) {
				this.problem = reason;
				keepAll(records, places, reason instanceof StoreException);
			}
			else {
				places.forEach((place) -> enqueueUnlessRefused(records.get(place), place));
			}
		}

		/** If they are all of one shard, others may still be in order. */
		private void keepAll(List<WaitingRecord> records, List<Integer> places, boolean isOfShard) {
			Set<Shard> shards = new HashSet<>();
			if (isOfShard) {
				places.forEach((place) -> shards.add(shardOf(id(records.get(place)))));
			}
			this.storeDown = shards.size() != 1;
			this.left.addAll(places);
			shards.stream()
				.filter((shard) -> !this.storeDown)
				.forEach((shard) -> places.forEach((place) -> records.get(place).refusedBy(shard)));
		}

		private static String id(WaitingRecord each) {
			JobRequest<?> job = each.job();
			if (job == null) {
				throw new IllegalStateException("It was not read");
			}
			return job.id();
		}

		/**
		 * Keeps those records whose shards have not confirmed them, and those of later
		 * parts, which the client has not read.
		 */
		private void keep(List<WaitingRecord> records, List<Integer> places, List<JobRequest<?>> jobs, int read,
				PartlyEnqueuedException partly) {
			boolean isOfJobs = partly.payloads() == read && partly.notEnqueued()
				.stream()
				.allMatch((some) -> some.positions()
					.stream()
					.allMatch((position) -> shardOf(jobs.get(position).id()).equals(some.shard())));
			if (!isOfJobs) {
				// An interceptor has changed them
				this.left.addAll(places);
				return;
			}
			RecordEnqueuer.this.enqueuedAt = now();
			for (NotEnqueued some : partly.notEnqueued()) {
				for (int position : some.positions()) {
					int place = places.get(position);
					records.get(place).refusedBy(some.shard());
					this.left.add(place);
				}
			}
			this.left.addAll(places.subList(read, places.size()));
		}

		/**
		 * Enqueues a record, unless it waits for its shard: then it must not hold up the
		 * others, one by one.
		 */
		private void enqueueUnlessRefused(WaitingRecord each, int place) {
			if (each.shard() != null) {
				hold(each, place);
			}
			else {
				enqueue(each, place);
			}
		}

		/**
		 * Enqueues one by itself. A shard that doesn't take it holds up no other shard.
		 */
		private void enqueue(WaitingRecord each, int place) {
			JobRequest<?> job = each.job();
			if (job == null || isHeld(each, job.id()) || this.problem != null) {
				this.left.add(place);
				return;
			}
			try {
				RecordEnqueuer.this.client.enqueue(RecordEnqueuer.this.queue, job);
				RecordEnqueuer.this.enqueuedAt = now();
			}
			catch (Throwable ex) {
				if (isOfStore(ex)) {
					this.problem = ex;
					each.refusedBy(shardOf(job.id()));
					hold(each, place);
				}
				else {
					refused(each, place, job, ex);
				}
			}
		}

		private void refused(WaitingRecord each, int place, JobRequest<?> job, Throwable reason) {
			Long last = RecordEnqueuer.this.enqueuedAt;
			long now = now();
			boolean othersPass = last != null && each.hasFailedBefore(last) && now - last < RECENT.toNanos();
			String message = (reason instanceof Error) ? reason.toString() : String.valueOf(reason.getMessage());
			each.failed(new UnfitRecordException(job.id(), message, reason), othersPass, MAX_FAILURES, now);
			if (each.isGivenUp()) {
				bury(each, place);
			}
			else {
				hold(each, place);
			}
		}

		/** Whether the store or the queue is at fault, and not a record. */
		private static boolean isOfStore(Throwable problem) {
			return problem instanceof StoreException || problem instanceof UnknownQueueException
					|| problem instanceof InvalidQueueException || problem instanceof ShardCountMismatchException;
		}

		private long now() {
			return RecordEnqueuer.this.nanoTime.getAsLong();
		}

	}

	/** Jobs that count how many of them a client has read. */
	private static final class ReadJobs implements Iterable<JobRequest<?>> {

		private final List<JobRequest<?>> jobs;

		private ListIterator<JobRequest<?>> iterator;

		ReadJobs(List<JobRequest<?>> jobs) {
			this.jobs = jobs;
			this.iterator = jobs.listIterator();
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

	/** The shards of the queue are not known. */
	private static final class LowkiqStoreProblem extends RuntimeException {

		private static final long serialVersionUID = 1L;

		LowkiqStoreProblem(RuntimeException cause) {
			super(cause);
		}

	}

}
