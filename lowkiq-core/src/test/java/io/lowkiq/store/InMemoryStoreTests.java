package io.lowkiq.store;

import java.time.InstantSource;

import org.junit.jupiter.api.Nested;

/**
 * The storage in memory keeps the contract.
 */
class InMemoryStoreTests {

	@Nested
	class Pushes extends PushContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Fetches extends FetchContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Outcomes extends OutcomeContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Ownership extends OwnershipContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Crashes extends CrashContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class WakeUpMessages extends WakeUpContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Queues extends QueueRegistryContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Nodes extends NodeRegistryContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Inspecting extends InspectionContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

	@Nested
	class Acting extends ActionsContract {

		@Override
		TestedStore open(InstantSource source) {
			return TestedStore.inMemory(source);
		}

	}

}
