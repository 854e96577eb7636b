package io.lowkiq.autoconfigure.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * The records that one consumer has polled and not committed. Used by its thread, but for
 * the {@link #state() state} and the {@link #paused() paused partitions}, which all
 * threads may read.
 */
final class RecordBacklog {

	/** The pauses between attempts, in milliseconds: from 0.2 to 10 seconds. */
	private static final ExponentialBackOff BACK_OFF = backOff();

	/** With more waiting records, a consumer polls no others. */
	static final int MAX_WAITING = 5_000;

	private static final long MAX_BYTES = 16L << 20;

	/** Maximum number of records that come again if the process ends meanwhile. */
	private static final long MAX_AHEAD = 50_000;

	private final RecordEnqueuer enqueuer;

	private final LongSupplier nanoTime;

	private final Thread thread = Thread.currentThread();

	private List<WaitingRecord> waiting = List.of();

	private Set<TopicPartition> assigned = Set.of();

	/** The offsets after the last record that was polled. */
	private final Map<TopicPartition, Long> next = new HashMap<>();

	private final Map<TopicPartition, Long> committed = new HashMap<>();

	private boolean storeDown;

	private BackOffExecution pauses = BACK_OFF.start();

	private long retryAt;

	private boolean pausing;

	/** Written by the thread of the consumer, read by all. */
	private volatile State state = State.EMPTY;

	/** Written by the thread of the consumer, read by all. */
	private volatile Set<TopicPartition> paused = Set.of();

	RecordBacklog(RecordEnqueuer enqueuer, LongSupplier nanoTime) {
		this.enqueuer = enqueuer;
		this.nanoTime = nanoTime;
		this.retryAt = nanoTime.getAsLong();
	}

	/** The records that wait, and why; null if none waits. */
	record State(int records, @Nullable Throwable problem) {

		static final State EMPTY = new State(0, null);

	}

	private static ExponentialBackOff backOff() {
		ExponentialBackOff backOff = new ExponentialBackOff(200, 2);
		backOff.setMaxInterval(10_000);
		return backOff;
	}

	/** Whether the consumer has not stopped. */
	boolean isInUse() {
		return this.thread.isAlive();
	}

	State state() {
		return this.state;
	}

	/** Adds polled records, and tries to bring them into the store. */
	void add(Collection<? extends ConsumerRecord<byte[], byte[]>> records) {
		List<WaitingRecord> all = new ArrayList<>(this.waiting);
		for (ConsumerRecord<byte[], byte[]> each : records) {
			WaitingRecord added = new WaitingRecord(each);
			Long expected = this.next.put(added.partition(), each.offset() + 1);
			if (expected != null && each.offset() < expected) {
				// The consumer has gone back
				all.removeIf((known) -> known.partition().equals(added.partition())
						&& known.raw().offset() >= each.offset());
				this.committed.remove(added.partition());
			}
			all.add(added);
		}
		this.waiting = all;
		attempt(isDue());
	}

	/** Tries again what has failed, if the time has come. */
	void retry() {
		if (!this.waiting.isEmpty() && isDue()) {
			attempt(true);
		}
	}

	private boolean isDue() {
		return this.nanoTime.getAsLong() - this.retryAt >= 0;
	}

	private void attempt(boolean retry) {
		if (!retry && this.storeDown) {
			this.state = new State(this.waiting.size(), this.state.problem());
			return;
		}
		int before = this.waiting.size();
		RecordAttempt.Result result = this.enqueuer.attempt(this.waiting, retry);
		this.waiting = result.waiting();
		this.storeDown = result.storeDown();
		this.state = new State(this.waiting.size(), result.problem());
		boolean hasProgress = before > this.waiting.size() && retry;
		if (this.waiting.isEmpty() || hasProgress) {
			this.pauses = BACK_OFF.start();
		}
		if (!this.waiting.isEmpty() && isDue()) {
			this.retryAt = this.nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(this.pauses.nextBackOff());
		}
	}

	/** Forgets partitions that the consumer doesn't have any more. */
	Set<TopicPartition> retain(Set<TopicPartition> assigned) {
		Set<TopicPartition> lost = new HashSet<>(this.assigned);
		lost.removeAll(assigned);
		this.assigned = Set.copyOf(assigned);
		if (!lost.isEmpty()) {
			this.next.keySet().removeAll(lost);
			this.committed.keySet().removeAll(lost);
			this.waiting = this.waiting.stream().filter((each) -> !lost.contains(each.partition())).toList();
			this.state = this.waiting.isEmpty() ? State.EMPTY : new State(this.waiting.size(), this.state.problem());
		}
		return lost;
	}

	/** The consumer goes elsewhere: what it has polled of a partition is forgotten. */
	void moveTo(TopicPartition partition, long offset) {
		this.waiting = this.waiting.stream().filter((each) -> !each.partition().equals(partition)).toList();
		this.state = this.waiting.isEmpty() ? State.EMPTY : new State(this.waiting.size(), this.state.problem());
		this.next.put(partition, offset);
		this.committed.remove(partition);
	}

	/** The offsets that can be committed and are not. */
	Map<TopicPartition, OffsetAndMetadata> uncommitted() {
		Map<TopicPartition, Long> ends = new HashMap<>(this.next);
		this.waiting.forEach((each) -> ends.merge(each.partition(), each.raw().offset(), Math::min));
		Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
		ends.forEach((partition, offset) -> {
			if (!offset.equals(this.committed.get(partition)) && isAfterStart(partition, offset)) {
				offsets.put(partition, new OffsetAndMetadata(offset));
			}
		});
		return offsets;
	}

	/** An offset before which nothing was done needn't be committed. */
	private boolean isAfterStart(TopicPartition partition, long offset) {
		Long last = this.committed.get(partition);
		return last == null || offset > last;
	}

	void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
		offsets.forEach((partition, offset) -> this.committed.put(partition, offset.offset()));
	}

	/** Whether the consumer was paused because of this backlog. */
	boolean isPausing() {
		return this.pausing;
	}

	void setPausing(boolean isPausing) {
		this.pausing = isPausing;
	}

	/** The paused partitions, whoever paused them. */
	Set<TopicPartition> paused() {
		return this.paused;
	}

	void setPaused(Set<TopicPartition> partitions) {
		this.paused = Set.copyOf(partitions);
	}

	/** Whether polling must stop. */
	boolean isFull() {
		return this.waiting.size() >= MAX_WAITING
				|| this.waiting.stream().mapToLong(WaitingRecord::bytes).sum() >= MAX_BYTES || this.waiting.stream()
					.anyMatch((each) -> this.next.getOrDefault(each.partition(), 0L) - each.raw().offset() > MAX_AHEAD);
	}

}
