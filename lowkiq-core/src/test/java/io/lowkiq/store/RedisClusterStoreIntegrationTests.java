package io.lowkiq.store;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The storage keeps the contract on a cluster of three masters, and answers there, too,
 * as the one in memory does.
 */
class RedisClusterStoreIntegrationTests {

	/** Written before all tests, closed after them. */
	private static final AtomicReference<RedisClusterProcess> cluster = new AtomicReference<>();

	@BeforeAll
	static void startCluster() {
		cluster.set(RedisClusterProcess.start());
	}

	@AfterAll
	static void stopCluster() {
		cluster.getAndSet(null).close();
	}

	private static TestedStore onRedis(InstantSource source) {
		LettuceConnectionFactory connectionFactory = cluster.get().connectionFactory();
		RedisStore store = new RedisStore(connectionFactory, TestRedis.uniquePrefix(), source);
		return new TestedStore(store.shardStore(), store.queues(), store.nodes(), store.wakeUps(), store.inspection(),
				store.actions(), connectionFactory::destroy);
	}

	@Test
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
