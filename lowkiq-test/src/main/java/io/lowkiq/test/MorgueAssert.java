package io.lowkiq.test;

import java.util.List;

/** Assertions about the dead jobs of a queue. */
public final class MorgueAssert extends JobsAssert<MorgueAssert, MorgueJobs> {

	MorgueAssert(MorgueJobs actual) {
		super(actual, MorgueAssert.class);
	}

	@Override
	List<StoredJob> jobs() {
		return this.actual.jobs();
	}

	/**
	 * Asserts that an id is dead.
	 * @param id the id
	 * @return assertions about that job
	 */
	public DeadJobAssert hasJob(String id) {
		return new DeadJobAssert(found(id), this);
	}

	MorgueJobs all() {
		return this.actual;
	}

}
