package io.lowkiq.test;

import java.util.List;
import java.util.Map;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Tests of {@link TestBatch} and {@link TestPerformContext}. */
class UnitTestDoublesTests {

	private final RuntimeException problem = new IllegalStateException("no");

	@Test
	void batchHasWhatItWasBuiltWith() {
		TestBatch<String> batch = TestBatch.<String>builder()
			.job("42", "a", "b")
			.retriedJob("43", 2, "c")
			.job("44", -1, List.of("d", "e"), List.of(7.0, 9.0))
			.fencingToken(5)
			.leaseLost(true)
			.build();
		assertThat(batch).extracting(Batch.Job::id).containsExactly("42", "43", "44");
		assertThat(batch.jobs()).extracting(Batch.Job::payloads)
			.containsExactly(List.of("a", "b"), List.of("c"), List.of("d", "e"));
		assertThat(batch.jobs()).extracting(Batch.Job::scores)
			.containsExactly(List.of(1.0, 2.0), List.of(1.0), List.of(7.0, 9.0));
		assertThat(batch.jobs()).extracting(Batch.Job::retryCount).containsExactly(-1, 2, -1);
		assertThat(batch.fencingToken()).isEqualTo(5);
		assertThat(batch.isLeaseLost()).isTrue();
	}

	@Test
	void jobsWithoutAMarkAreDoneIfTheWorkerReturns() {
		TestBatch.Result result = perform((batch) -> batch.jobs().get(1).fail(this.problem));
		assertThat(result.done()).containsExactly("42");
		assertThat(result.failed()).containsExactlyEntriesOf(Map.of("43", this.problem));
	}

	@Test
	void jobsWithoutAMarkHaveFailedIfTheWorkerThrows() {
		TestBatch.Result result = perform((batch) -> {
			batch.jobs().get(0).fail(new IllegalArgumentException());
			batch.jobs().get(0).done();
			throw this.problem;
		});
		assertThat(result.done()).containsExactly("42");
		assertThat(result.failed()).containsOnlyKeys("43").containsValue(this.problem);
	}

	private static TestBatch.Result perform(BatchWorker<String> worker) {
		return TestBatch.<String>builder().job("42", "a").job("43", "b").build().performedBy(worker);
	}

	@Test
	void impossibleBatchesAreRefused() {
		assertThatIllegalStateException().isThrownBy(() -> TestBatch.builder().build());
		assertThatIllegalArgumentException().isThrownBy(() -> TestBatch.of("42"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> TestBatch.<String>builder().job("42", "a").job("42", "b"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> TestBatch.<String>builder().job("42", -1, List.of("a", "b"), List.of(2.0, 1.0)));
	}

	@Test
	void contextIsThatOfAFreshJobUntilTheTestSaysOtherwise() {
		TestPerformContext context = new TestPerformContext();
		assertThat(context.fencingToken()).isEqualTo(1);
		assertThat(context.retryCount()).isEqualTo(-1);
		assertThat(context.isLeaseLost()).isFalse();
		context.fencingToken(9).retryCount(2).leaseLost(true);
		assertThat(context.fencingToken()).isEqualTo(9);
		assertThat(context.retryCount()).isEqualTo(2);
		assertThat(context.isLeaseLost()).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> context.fencingToken(0));
		assertThatIllegalArgumentException().isThrownBy(() -> context.retryCount(-2));
	}

}
