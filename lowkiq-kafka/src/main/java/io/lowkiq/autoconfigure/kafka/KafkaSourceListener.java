package io.lowkiq.autoconfigure.kafka;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchInterceptor;

import io.lowkiq.autoconfigure.kafka.RecordBacklog.State;

/**
 * Enqueues what consumers have polled, and commits what is in the store, as jobs or in
 * the morgue. What fails waits in a {@link RecordBacklog} and is tried again between two
 * polls, while later records go on; it is not committed, nor is anything behind it.
 * Thread-safe: the consumers of a source share it.
 */
final class KafkaSourceListener
		implements BatchConsumerAwareMessageListener<byte[], byte[]>, BatchInterceptor<byte[], byte[]> {

	private static final Logger logger = LoggerFactory.getLogger(KafkaSourceListener.class);

	private final KafkaSource source;

	private final RecordEnqueuer enqueuer;

	private final LongSupplier nanoTime;

	/** Each entry belongs to the thread of its consumer; all threads read the states. */
	private final Map<Consumer<?, ?>, RecordBacklog> backlogs = Collections.synchronizedMap(new WeakHashMap<>());

	/** Where consumers move before their next poll. Written by all, emptied by them. */
	private final Map<TopicPartition, Long> seeks = new ConcurrentHashMap<>();

	/** Paused by others. Set before the container starts, read by consumers. */
	private volatile Predicate<TopicPartition> paused = (partition) -> false;

	/** Whether the log says that records wait; changed by the threads of consumers. */
	private final AtomicBoolean failing = new AtomicBoolean();

	KafkaSourceListener(KafkaSource source, RecordEnqueuer enqueuer, LongSupplier nanoTime) {
		this.source = source;
		this.enqueuer = enqueuer;
		this.nanoTime = nanoTime;
	}

	@Override
	public void onMessage(List<ConsumerRecord<byte[], byte[]>> records, @Nullable Consumer<?, ?> consumer) {
		if (consumer == null) {
			throw new IllegalStateException("The container doesn't pass its consumer");
		}
		RecordBacklog backlog = backlog(consumer);
		backlog.add(records);
		report();
		commit(consumer, backlog);
	}

	/** Called before each poll. */
	@Override
	public void setupThreadState(Consumer<?, ?> consumer) {
		Set<TopicPartition> assigned = consumer.assignment();
		RecordBacklog backlog = backlog(consumer);
		backlog.retain(assigned).forEach(this::forgetSeek);
		assigned.forEach((partition) -> seek(consumer, partition, backlog));
		backlog.retry();
		report();
		commit(consumer, backlog);
		if (backlog.isFull()) {
			consumer.pause(assigned);
		}
		else if (backlog.isPausing()) {
			consumer.resume(assigned.stream().filter(this.paused.negate()).toList());
		}
		backlog.setPausing(backlog.isFull());
		backlog.setPaused(consumer.paused());
	}

	/** A later owner of the partition must not go there long afterwards. */
	private void forgetSeek(TopicPartition lost) {
		Long offset = this.seeks.remove(lost);
		if (offset != null) {
			logger.warn("Partition {} does not continue at offset {}: another consumer has it now", lost, offset);
		}
	}

	private void seek(Consumer<?, ?> consumer, TopicPartition partition, RecordBacklog backlog) {
		Long offset = this.seeks.remove(partition);
		if (offset != null) {
			consumer.seek(partition, offset);
			backlog.moveTo(partition, offset);
			logger.info("Partition {} continues at offset {}", partition, offset);
		}
	}

	private RecordBacklog backlog(Consumer<?, ?> consumer) {
		return this.backlogs.computeIfAbsent(consumer, (added) -> new RecordBacklog(this.enqueuer, this.nanoTime));
	}

	@Override
	public ConsumerRecords<byte[], byte[]> intercept(ConsumerRecords<byte[], byte[]> records,
			Consumer<byte[], byte[]> consumer) {
		return records;
	}

	private static void commit(Consumer<?, ?> consumer, RecordBacklog backlog) {
		Map<TopicPartition, OffsetAndMetadata> offsets = backlog.uncommitted();
		if (offsets.isEmpty()) {
			return;
		}
		try {
			consumer.commitSync(offsets);
			backlog.committed(offsets);
		}
		catch (CommitFailedException | RebalanceInProgressException | RetriableException ex) {
			logger.debug(
					"Offsets are not committed now. They are before the next poll, or another consumer gets the records, too",
					ex);
		}
	}

	private void report() {
		Throwable problem = problem();
		if (problem != null && this.failing.compareAndSet(false, true)) {
			logger.warn(
					"Records of {} can't be enqueued into queue '{}'. They are not committed, and are retried until they can",
					this.source.topics(), this.source.queue(), problem);
		}
		if (problem == null && this.failing.compareAndSet(true, false)) {
			logger.info("No records of {} wait for queue '{}' any more", this.source.topics(), this.source.queue());
		}
	}

	/** Lets partitions be paused by others, too. */
	void pausedBy(Predicate<TopicPartition> others) {
		this.paused = others;
	}

	/** Lets the consumer of a partition continue elsewhere. */
	void seek(TopicPartition partition, long offset) {
		this.seeks.put(partition, offset);
	}

	int waiting() {
		return states().stream().mapToInt(State::records).sum();
	}

	/** Why records wait; null if none does. */
	@Nullable Throwable problem() {
		return states().stream()
			.map(State::problem)
			.filter((problem) -> problem != null)
			.map(Throwable.class::cast)
			.findFirst()
			.orElse(null);
	}

	/** The partitions that are assigned and not read, whoever paused them. */
	Set<TopicPartition> paused() {
		return ofBacklogs((used) -> used.flatMap((backlog) -> backlog.paused().stream()).collect(Collectors.toSet()));
	}

	private Collection<State> states() {
		return ofBacklogs((used) -> used.map(RecordBacklog::state).toList());
	}

	private <T> T ofBacklogs(Function<Stream<RecordBacklog>, T> answer) {
		synchronized (this.backlogs) {
			return answer.apply(this.backlogs.values().stream().filter(RecordBacklog::isInUse));
		}
	}

}
