package io.lowkiq.test;

/** Assertions about a dead job. */
public final class DeadJobAssert extends JobAssert<DeadJobAssert> {

	private final MorgueAssert morgue;

	DeadJobAssert(StoredJob actual, MorgueAssert morgue) {
		super(actual, morgue.all(), DeadJobAssert.class);
		this.morgue = morgue;
	}

	/**
	 * Goes back to the morgue.
	 * @return assertions about the morgue
	 */
	public MorgueAssert and() {
		return this.morgue;
	}

}
