package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.testing.JedisConnections;
import io.lowkiq.testing.TestRedis;

/**
 * The storage keeps the contract with Jedis in place of Lettuce.
 */
class JedisStoreIntegrationTests extends RedisStoreIntegrationTests {

	@Override
	TestedStore open(InstantSource source) {
		return TestedStore.onRedis(JedisConnections.connectionFactory(TestRedis.shared().url()), source);
	}

}
