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

	/** Whether one step sees several shards. */
	boolean seesSeveralShards() {
		return true;
	}

	@Nested
	class Enqueuing extends EnqueueContract {

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
	class Gatherings extends GatheringContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

	}

	@Nested
	class Clocks extends ClockContract {

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
	class FollowingUp extends FollowUpContract {

		@Override
		TestedStore open(InstantSource source) {
			return StoreSuite.this.open(source);
		}

		@Override
		boolean seesTargets() {
			return seesSeveralShards();
		}

	}

	@Nested
	class Tracing extends ProducersContract {

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
