package io.lowkiq.store;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.store.RandomRun.Payloads;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The storage keeps the contract on a cluster of three masters, and answers there, too,
 * as the one in memory does.
 */
class RedisClusterStoreIntegrationTests extends StoreSuite {

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

	@Override
	public TestedStore open(InstantSource source) {
		return RedisStoreIntegrationTests.open(cluster.get().connectionFactory(), TestRedis.uniquePrefix(), source);
	}

	@Override
	boolean seesSeveralShards() {
		return false;
	}

	@Test
	void answersAsTheStorageInMemory() {
		// The messages of different masters may come in another order
		ShrinkingRun.run(ShrinkingRun.seed(), ShrinkingRun.operations(750), Payloads.OF_ALL_KINDS,
				(clock) -> new StoreComparison(TestedStore.inMemoryCluster(clock), open(clock), false));
	}

}
