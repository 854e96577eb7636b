package io.lowkiq.store;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.testing.RedisClusterProcess;
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
	TestedStore open(InstantSource source) {
		return TestedStore.onRedis(cluster.get().connectionFactory(), source);
	}

	@Test
	void answersAsTheStorageInMemory() {
		compareWithMemory(false);
	}

}
