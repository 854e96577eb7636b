package io.lowkiq.store;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.testing.RedisClusterProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

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
	final TestedStore open(InstantSource source) {
		return TestedStore.onRedis(connect(), source);
	}

	RedisConnectionFactory connect() {
		return cluster().connectionFactory();
	}

	static RedisClusterProcess cluster() {
		return cluster.get();
	}

	@Test
	void answersAsTheStorageInMemory() {
		compareWithMemory(false);
	}

}
