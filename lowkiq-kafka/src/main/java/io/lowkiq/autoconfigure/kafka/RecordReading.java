package io.lowkiq.autoconfigure.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import io.lowkiq.JobRequest;

/**
 * Reads the records of a source that don't have to wait for earlier ones, and buries the
 * records that are given up. Thread-safe: the consumers of a source share it.
 */
final class RecordReading {

	private final RecordReader reader;

	private final RecordDeserializers deserializers;

	private final RecordMorgue morgue;

	private final LongSupplier nanoTime;

	/**
	 * The last record that was readable. Written and read by the threads of consumers.
	 */
	private volatile @Nullable ConsumerRecord<byte[], byte[]> control;

	RecordReading(RecordReader reader, RecordDeserializers deserializers, RecordMorgue morgue, LongSupplier nanoTime) {
		this.reader = reader;
		this.deserializers = deserializers;
		this.morgue = morgue;
		this.nanoTime = nanoTime;
	}

	/**
	 * Returns the job of a record; null if it is to have none.
	 * @throws UnfitRecordException if it can't become one
	 */
	@Nullable JobRequest<?> read(ConsumerRecord<byte[], byte[]> raw) {
		return this.reader.isSkipped(raw) ? null : job(raw);
	}

	private JobRequest<?> job(ConsumerRecord<byte[], byte[]> raw) {
		return this.reader.read(this.deserializers.deserialize(raw));
	}

	/** Reads what may be read. */
	List<WaitingRecord> ready(List<WaitingRecord> records, boolean retry, RecordAttempt attempt) {
		Control known = new Control();
		List<WaitingRecord> ready = new ArrayList<>();
		for (WaitingRecord each : records) {
			if (this.reader.isSkipped(each.raw())) {
				attempt.settle(each);
			}
			else if (!retry && each.isTried()) {
				attempt.hold(each);
			}
			else {
				if (each.job() == null && !each.isGivenUp()) {
					read(each, known);
				}
				if (each.isGivenUp() && !attempt.isHeld(each)) {
					bury(each, attempt);
				}
				else if (each.job() == null) {
					attempt.hold(each);
				}
				else if (!attempt.isHeld(each)) {
					ready.add(each);
				}
			}
		}
		return ready;
	}

	private void read(WaitingRecord each, Control known) {
		try {
			each.read(job(each.raw()));
			this.control = each.raw();
		}
		catch (UnfitRecordException ex) {
			boolean othersPass = ErrorType.of(ex.getCause()) == ErrorType.UNKNOWN && known.canBeRead();
			each.failed(ex, othersPass, this.nanoTime.getAsLong());
		}
	}

	/** Holds back later records if it can't bury this one. */
	void bury(WaitingRecord each, RecordAttempt attempt) {
		try {
			this.morgue.bury(each.raw(), each.reason(), this.reader.score(each.raw()));
			attempt.buried(each);
		}
		catch (RuntimeException ex) {
			attempt.failed(ex);
			attempt.hold(each);
		}
	}

	/** The last record that could be read, which an attempt reads once more at most. */
	private final class Control {

		/** Null until it was read. */
		private @Nullable Boolean result;

		boolean canBeRead() {
			ConsumerRecord<byte[], byte[]> known = RecordReading.this.control;
			if (this.result == null && known != null) {
				try {
					job(known);
					this.result = true;
				}
				catch (UnfitRecordException ex) {
					this.result = false;
				}
			}
			return Boolean.TRUE.equals(this.result);
		}

	}

}
