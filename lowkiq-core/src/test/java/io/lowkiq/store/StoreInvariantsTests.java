package io.lowkiq.store;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The storage in memory keeps the invariants over random operations.
 */
class StoreInvariantsTests {

	private final MovableClock clock = new MovableClock();

	private final TestedStore store = TestedStore.inMemory(this.clock);

	@Test
	void invariantsHoldOverRandomOperations() {
		run(RandomRun.seed(), RandomRun.operations(10_000), this.store);
	}

	@Test
	void lostPayloadIsFound() {
		ShardStore honest = this.store.shardStore();
		TestedStore forgetful = this.store
			.with(StoreComparisonTests.BrokenStore.FORGETS_FAILED_PAYLOADS.around(honest));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> run(RandomRun.seed(), 3_000, forgetful))
			.withMessageContaining("Seed ");
	}

	private void run(long seed, int operations, TestedStore watched) {
		System.out.printf("%d operations with -Dlowkiq.test.seed=%d%n", operations, seed);
		new RandomRun(seed, this.clock, new StoreInvariants(seed, watched), true, RandomRun.Pushes.OF_ALL_KINDS)
			.run(operations);
	}

}
