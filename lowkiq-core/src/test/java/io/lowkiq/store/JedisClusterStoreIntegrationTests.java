package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.testing.JedisConnections;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The storage keeps the contract on a cluster with Jedis in place of Lettuce.
 */
class JedisClusterStoreIntegrationTests extends RedisClusterStoreIntegrationTests {

	@Override
	RedisConnectionFactory connect() {
		return JedisConnections.connectionFactory(new RedisClusterConfiguration(cluster().nodes()));
	}

}
