package io.lowkiq.store;

import io.lowkiq.redis.inmemory.InMemoryRedis;
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

	@ParameterizedTest
	@EnumSource
	void invariantsHoldOverRandomOperations(Payloads payloads) {
		int operations = ShrinkingRun.operations((payloads == Payloads.MANY) ? 500 : 1_500);
		ShrinkingRun.run(ShrinkingRun.seed(), operations, payloads,
				(clock) -> new StoreInvariants(TestedStore.inMemory(clock)));
	}

	@ParameterizedTest
	@EnumSource
	void invariantsHoldWhenShortListsAreSwept(Payloads payloads) {
		ShrinkingRun.run(ShrinkingRun.seed(), ShrinkingRun.operations(500), payloads,
				(clock) -> new StoreInvariants(ChangedScripts.withManySweeps(new InMemoryRedis(clock))));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 3 })
	void invariantsHoldWithEveryPolicy(int policy) {
		ShrinkingRun.run(ShrinkingRun.seed() + policy, ShrinkingRun.operations(750), Payloads.OF_ALL_KINDS,
				(clock) -> new StoreInvariants(TestedStore.inMemory(clock)));
	}

	@Test
	void lostPayloadIsFound() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> ShrinkingRun.run(ShrinkingRun.seed(), 3_000, Payloads.OF_ALL_KINDS,
					(clock) -> new StoreInvariants(
							BrokenStore.FORGETS_FAILED_PAYLOADS.around(TestedStore.inMemory(clock)))))
			.withMessageContaining("-Dlowkiq.test.seed=")
			.withStackTraceContaining("assertNothingLost");
	}

}
