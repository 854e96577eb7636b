package io.lowkiq.store;

import java.util.List;

import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Payload;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a test expects of a job, as one sentence.
 *
 * @param at when it is due
 * @param retries its retry count
 * @param marks its crash count
 * @param kept its failure
 */
record JobAssert(String id, List<Payload> payloads, long at, int retries, int marks, @Nullable Failure kept) {

	static JobAssert of(JobView job) {
		return new JobAssert(job.id(), job.payloads(), job.performAt(), job.retryCount(), job.crashes(), job.failure());
	}

	static JobAssert of(FetchedJob job) {
		return new JobAssert(job.id(), job.payloads(), job.performAt(), job.retryCount(), job.crashes(), job.failure());
	}

	/**
	 * Expects a job.
	 * @param text the job as {@code id=[payload, …]}
	 */
	JobAssert is(String text) {
		return that("job", this.id + "=" + StoreContract.texts(this.payloads), text);
	}

	JobAssert has(String... texts) {
		return that("payloads", StoreContract.texts(this.payloads), List.of(texts));
	}

	JobAssert has(Payload... expected) {
		return that("payloads", this.payloads, List.of(expected));
	}

	JobAssert performAt(long expected) {
		return that("performAt", this.at, expected);
	}

	JobAssert retryCount(int expected) {
		return that("retryCount", this.retries, expected);
	}

	JobAssert crashes(int expected) {
		return that("crashes", this.marks, expected);
	}

	JobAssert error(@Nullable String expected) {
		return that("error", (this.kept != null) ? this.kept.text() : null, expected);
	}

	JobAssert failure(Failure expected) {
		return that("failure", this.kept, expected);
	}

	private JobAssert that(String what, @Nullable Object actual, @Nullable Object expected) {
		assertThat(actual).as("%s of %s", what, this.id).isEqualTo(expected);
		return this;
	}

}
