package io.lowkiq.store;

import static org.assertj.core.api.Assertions.assertThat;

/** What a test expects of the answer to a request for a lease, as one sentence. */
record AcquiredAssert(Acquisition.Acquired answer) {

	AcquiredAssert kept(boolean expected) {
		return that("kept", this.answer.kept(), expected);
	}

	AcquiredAssert restored(int expected) {
		return that("restored", this.answer.restored(), expected);
	}

	AcquiredAssert next(long expected) {
		return that("next", this.answer.next(), expected);
	}

	AcquiredAssert nextSuspect(long expected) {
		return that("next suspect", this.answer.nextSuspect(), expected);
	}

	AcquiredAssert lastFollowUp(long expected) {
		return that("last follow-up", this.answer.lastFollowUp(), expected);
	}

	private AcquiredAssert that(String what, Object actual, Object expected) {
		assertThat(actual).as(what).isEqualTo(expected);
		return this;
	}

}
