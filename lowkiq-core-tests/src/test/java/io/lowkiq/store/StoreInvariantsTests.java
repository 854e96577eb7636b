package io.lowkiq.store;

import io.lowkiq.store.RandomRun.Payloads;
import io.lowkiq.store.StoreComparisonTests.BrokenStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The storage in memory keeps the invariants over random operations, and one that doesn't
 * is found.
 */
class StoreInvariantsTests {

	private static final Runnable NO_LAYOUT = () -> {
	};

	@ParameterizedTest
	@EnumSource
	void invariantsHoldOverRandomOperations(Payloads payloads) {
		int operations = ShrinkingRun.operations((payloads == Payloads.MANY) ? 500 : 2_500);
		ShrinkingRun.run(ShrinkingRun.seed(), operations, payloads,
				(clock) -> new StoreInvariants(TestedStore.inMemory(clock), NO_LAYOUT));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 3 })
	void invariantsHoldWithEveryPolicy(int policy) {
		ShrinkingRun.run(ShrinkingRun.seed() + policy, ShrinkingRun.operations(750), Payloads.OF_ALL_KINDS,
				(clock) -> new StoreInvariants(TestedStore.inMemory(clock), NO_LAYOUT));
	}

	@Test
	void lostPayloadIsFound() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> ShrinkingRun.run(ShrinkingRun.seed(), 3_000, Payloads.OF_ALL_KINDS,
					(clock) -> new StoreInvariants(
							BrokenStore.FORGETS_FAILED_PAYLOADS.around(TestedStore.inMemory(clock)), NO_LAYOUT)))
			.withMessageContaining("-Dlowkiq.test.seed=")
			.withStackTraceContaining("assertNothingLost");
	}

}
