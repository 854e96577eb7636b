package io.lowkiq.store;

import java.time.InstantSource;

import org.junit.jupiter.api.Nested;

/**
 * The whole contract of a storage.
 */
abstract class StoreSuite {

	/**
	 * Makes an empty storage.
	 * @param source its clock
	 * @return the storage
	 */
	abstract TestedStore open(InstantSource source);

	/**
	 * Does the same at random to the storage and to the one in memory.
	 * @param listening whether owners listen for messages
	 */
	final void compareWithMemory(boolean listening) {
		MovableClock clock = new MovableClock();
		try (TestedStore store = open(clock)) {
			StoreComparison.run(RandomRun.seed(), RandomRun.operations(5_000), clock, TestedStore.inMemory(clock),
					store, listening);
		}
	}

	/**
	 * The same with pushes as most applications make them.
	 * @param listening whether owners listen for messages
	 */
	final void compareMostlyPlainWithMemory(boolean listening) {
		MovableClock clock = new MovableClock();
		try (TestedStore store = open(clock)) {
			StoreComparison.run(RandomRun.seed(), RandomRun.operations(2_000), clock, TestedStore.inMemory(clock),
					store, listening, RandomRun.Pushes.MOSTLY_PLAIN);
		}
	}

	/** The same with jobs that lie between thousands of others. */
	final void compareDeepLineWithMemory() {
		MovableClock clock = new MovableClock();
		long seed = RandomRun.seed();
		try (TestedStore store = open(clock)) {
			new DeepLine(seed, clock, new StoreComparison(seed, clock, TestedStore.inMemory(clock), store)).run(5);
		}
	}

	@Nested
	class Pushes extends PushContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Fetches extends FetchContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Outcomes extends OutcomeContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Ownership extends OwnershipContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Crashes extends CrashContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class WakeUpMessages extends WakeUpContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Queues extends QueueRegistryContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Nodes extends NodeRegistryContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Inspecting extends InspectionContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Acting extends ActionsContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

}
