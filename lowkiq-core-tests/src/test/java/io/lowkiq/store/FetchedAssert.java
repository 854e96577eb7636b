package io.lowkiq.store;

import static org.assertj.core.api.Assertions.assertThat;

/** What a test expects of the answer to a call of an owner, as one sentence. */
record FetchedAssert(FetchResult.Fetched answer) {

	/**
	 * Expects these jobs in this order.
	 * @param texts the jobs as {@code id=[payload, …]}
	 */
	FetchedAssert jobs(String... texts) {
		assertThat(StoreContract.jobTexts(this.answer)).containsExactly(texts);
		return this;
	}

	FetchedAssert ids(String... ids) {
		assertThat(StoreContract.ids(this.answer)).containsExactly(ids);
		return this;
	}

	FetchedAssert nothing() {
		assertThat(this.answer.jobs()).isEmpty();
		return this;
	}

	FetchedAssert next(long expected) {
		return that("next", this.answer.next(), expected);
	}

	FetchedAssert nextSuspect(long expected) {
		return that("next suspect", this.answer.nextSuspect(), expected);
	}

	FetchedAssert now(long expected) {
		return that("now", this.answer.now(), expected);
	}

	FetchedAssert buried(int expected) {
		return that("buried", this.answer.buried(), expected);
	}

	private FetchedAssert that(String what, long actual, long expected) {
		assertThat(actual).as(what).isEqualTo(expected);
		return this;
	}

}
