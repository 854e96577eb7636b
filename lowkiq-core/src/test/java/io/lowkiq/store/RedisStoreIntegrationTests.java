package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The storage on Redis keeps the contract, and answers as the one in memory does.
 */
class RedisStoreIntegrationTests {

	private static TestedStore onRedis(InstantSource source) {
		LettuceConnectionFactory connectionFactory = TestRedis.shared().connectionFactory();
		RedisStore store = new RedisStore(connectionFactory, TestRedis.uniquePrefix(), source);
		return new TestedStore(store.shardStore(), store.queues(), store.nodes(), store.wakeUps(), store.inspection(),
				store.actions(), connectionFactory::destroy);
	}

	@RepeatedTest(5)
	void answersAsTheStorageInMemory() {
		MovableClock clock = new MovableClock();
		try (TestedStore redis = onRedis(clock)) {
			StoreComparison.run(RandomRun.seed(), RandomRun.operations(5_000), clock, TestedStore.inMemory(clock),
					redis);
		}
	}

	@Nested
	class Pushes extends PushContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Fetches extends FetchContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Outcomes extends OutcomeContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Ownership extends OwnershipContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Crashes extends CrashContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class WakeUpMessages extends WakeUpContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Queues extends QueueRegistryContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Nodes extends NodeRegistryContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Inspecting extends InspectionContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

	@Nested
	class Acting extends ActionsContract {

		@Override
		TestedStore open(InstantSource source) {
			return onRedis(source);
		}

	}

}
