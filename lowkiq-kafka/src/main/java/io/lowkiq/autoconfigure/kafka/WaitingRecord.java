package io.lowkiq.autoconfigure.kafka;

import io.lowkiq.JobRequest;
import io.lowkiq.store.job.Shard;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A polled record that is not in the store yet. Used by the thread of its consumer. */
final class WaitingRecord {

	/** How often a record may fail while others pass. */
	private static final int MAX_FAILURES = 5;

	private final ConsumerRecord<byte[], byte[]> raw;

	private final TopicPartition partition;

	/** Its job, once it could be read. */
	private @Nullable JobRequest<?> job;

	/** Why it isn't in the store, if the record may be to blame. */
	private @Nullable UnfitRecordException problem;

	/** The shard that didn't take it. */
	private @Nullable Shard shard;

	/** Since when it has failed by an error of an unknown type. */
	private long failedAt;

	/** How often it has failed again since while others passed. */
	private int failures;

	private boolean givenUp;

	WaitingRecord(ConsumerRecord<byte[], byte[]> raw) {
		this.raw = raw;
		this.partition = new TopicPartition(raw.topic(), raw.partition());
	}

	ConsumerRecord<byte[], byte[]> raw() {
		return this.raw;
	}

	TopicPartition partition() {
		return this.partition;
	}

	int bytes() {
		return Math.max(this.raw.serializedKeySize(), 0) + Math.max(this.raw.serializedValueSize(), 0);
	}

	@Nullable JobRequest<?> job() {
		return this.job;
	}

	JobRequest<?> requiredJob() {
		if (this.job == null) {
			throw new IllegalStateException("It was not read");
		}
		return this.job;
	}

	/** The id of its job; null if it is not known. */
	@Nullable String id() {
		return (this.problem != null) ? this.problem.id() : (this.job != null) ? this.job.id() : null;
	}

	void read(JobRequest<?> read) {
		this.job = read;
		this.problem = null;
		this.failures = 0;
	}

	@Nullable UnfitRecordException problem() {
		return this.problem;
	}

	/** Why it was given up. */
	UnfitRecordException reason() {
		return (this.problem != null) ? this.problem : new UnfitRecordException(null, "It has failed", null);
	}

	@Nullable Shard shard() {
		return this.shard;
	}

	void refusedBy(@Nullable Shard refusing) {
		this.shard = refusing;
		this.problem = null;
	}

	boolean isGivenUp() {
		return this.givenUp;
	}

	/** It has failed, and perhaps by its own fault. */
	void failed(UnfitRecordException failure, boolean othersPass, long now) {
		if (this.problem == null) {
			this.failedAt = now;
		}
		this.problem = failure;
		switch (ErrorType.of(failure.getCause())) {
			case OF_RECORD -> this.givenUp = true;
			case PASSING -> this.failures = 0;
			case UNKNOWN -> {
				this.failures = othersPass ? this.failures + 1 : 0;
				this.givenUp = this.failures >= MAX_FAILURES;
			}
		}
	}

	/** Whether something that happened at a time came after its first failure. */
	boolean hasFailedBefore(long time) {
		return this.problem != null && time - this.failedAt > 0;
	}

	/** Whether it was tried before. */
	boolean isTried() {
		return this.problem != null || this.shard != null;
	}

}
