package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.store.inspection.JobView.State;

/** Assertions about a job that waits or is being performed. */
public final class QueuedJobAssert extends JobAssert<QueuedJobAssert> {

	private final QueueAssert queue;

	QueuedJobAssert(StoredJob actual, QueueAssert queue) {
		super(actual, queue.all(), QueuedJobAssert.class);
		this.queue = queue;
	}

	/**
	 * Asserts that the job waits and is due now.
	 * @return this assertion
	 */
	public QueuedJobAssert isDue() {
		if (this.actual.state() == State.BUSY || this.actual.performAt().isAfter(this.queue.all().now())) {
			throw fail("become due", description());
		}
		return this;
	}

	/**
	 * Asserts that the job is being performed.
	 * @return this assertion
	 */
	public QueuedJobAssert isBeingPerformed() {
		if (this.actual.state() != State.BUSY) {
			throw fail("started", description());
		}
		return this;
	}

	/**
	 * Asserts how long the job still waits, to the millisecond. What the test itself
	 * takes is allowed for: with a running clock, or after the clock was moved, the job
	 * may be due earlier by as much.
	 * @param duration the time until the job is due
	 * @return this assertion
	 */
	public QueuedJobAssert dueIn(Duration duration) {
		return dueIn(duration.minus(this.queue.all().unasked()), duration);
	}

	/**
	 * Asserts how long the job still waits, for instance for a retry with a random delay.
	 * @param least the shortest time until the job is due
	 * @param most the longest time until the job is due
	 * @return this assertion
	 */
	public QueuedJobAssert dueIn(Duration least, Duration most) {
		long left = this.actual.performAt().toEpochMilli() - this.queue.all().now().toEpochMilli();
		if (this.actual.state() == State.BUSY || left < least.toMillis() || left > most.toMillis()) {
			String expected = (least.toMillis() == most.toMillis()) ? StoredJob.text(most)
					: "%s to %s".formatted(StoredJob.text(least), StoredJob.text(most));
			throw fail("%s to wait".formatted(expected), description());
		}
		return this;
	}

	/**
	 * Asserts when the job is due, to the millisecond.
	 * @param time its performAt
	 * @return this assertion
	 */
	public QueuedJobAssert dueAt(Instant time) {
		return check("performAt", this.actual.performAt(), Instant.ofEpochMilli(time.toEpochMilli()));
	}

	/**
	 * Asserts how often the job has failed, less one.
	 * @param retryCount -1 for a fresh job, 0 after the first failure
	 * @return this assertion
	 */
	public QueuedJobAssert withRetryCount(int retryCount) {
		return check("retryCount", this.actual.retryCount(), retryCount);
	}

	/**
	 * Goes back to the queue.
	 * @return assertions about the queue
	 */
	public QueueAssert and() {
		return this.queue;
	}

	private String description() {
		return this.actual.describe(this.queue.all().now());
	}

}
