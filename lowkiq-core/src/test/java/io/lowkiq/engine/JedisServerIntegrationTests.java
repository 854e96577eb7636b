package io.lowkiq.engine;

import io.lowkiq.testing.JedisConnections;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Servers work with Jedis in place of Lettuce.
 */
class JedisServerIntegrationTests extends LowkiqServerIntegrationTests {

	@Override
	RedisConnectionFactory connect(String url) {
		return JedisConnections.connectionFactory(url);
	}

}
