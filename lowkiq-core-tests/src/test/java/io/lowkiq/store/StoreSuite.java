package io.lowkiq.store;

import org.junit.jupiter.api.Nested;

/** The whole contract of a storage. */
abstract class StoreSuite implements StoreSource {

	/** Whether one step sees several shards. */
	boolean seesSeveralShards() {
		return true;
	}

	@Nested
	class Enqueuing extends EnqueueContract {

	}

	@Nested
	class OutboxCalls extends OutboxCallContract {

	}

	@Nested
	class Fetches extends FetchContract {

	}

	@Nested
	class Groups extends GroupContract {

	}

	@Nested
	class Outcomes extends OutcomeContract {

	}

	@Nested
	class Gatherings extends GatheringContract {

	}

	@Nested
	class Clocks extends ClockContract {

	}

	@Nested
	class Ownership extends OwnershipContract {

	}

	@Nested
	class Crashes extends CrashContract {

	}

	@Nested
	class WakeUpMessages extends WakeUpContract {

	}

	@Nested
	class Queues extends QueueRegistryContract {

	}

	@Nested
	class Nodes extends NodeRegistryContract {

	}

	@Nested
	class Inspecting extends InspectionContract {

	}

	@Nested
	class FollowingUp extends FollowUpContract {

		@Override
		boolean seesTargets() {
			return seesSeveralShards();
		}

	}

	@Nested
	class Tracing extends ProducersContract {

	}

	@Nested
	class Acting extends ActionsContract {

	}

}
