package io.lowkiq.test;

import java.util.List;

/** Assertions about the jobs of a queue that wait or are being performed. */
public final class QueueAssert extends JobsAssert<QueueAssert, QueueJobs> {

	QueueAssert(QueueJobs actual) {
		super(actual, QueueAssert.class);
	}

	@Override
	List<StoredJob> jobs() {
		return this.actual.jobs();
	}

	/**
	 * Asserts that an id has a job.
	 * @param id the id
	 * @return assertions about that job
	 */
	public QueuedJobAssert hasJob(String id) {
		return new QueuedJobAssert(found(id), this);
	}

	QueueJobs all() {
		return this.actual;
	}

}
