package io.lowkiq.testing;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections by Jedis, out of a pool, in place of Lettuce's.
 */
public final class JedisConnections {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private JedisConnections() {
	}

	/**
	 * Connects to a server.
	 * @param url its URL
	 * @return a started connection factory, to be destroyed by the caller
	 */
	public static JedisConnectionFactory connectionFactory(String url) {
		return connectionFactory(url, -1);
	}

	/**
	 * Connects to a server with a limited number of connections.
	 * @param url its URL
	 * @param most the number; -1 for no limit
	 * @return a started connection factory, to be destroyed by the caller
	 */
	public static JedisConnectionFactory connectionFactory(String url, int most) {
		RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) LettuceConnectionFactory
			.createRedisConfiguration(url);
		return started(new JedisConnectionFactory(server, pooled(most)));
	}

	/**
	 * Connects to a cluster.
	 * @param cluster where it is
	 * @return a started connection factory, to be destroyed by the caller
	 */
	public static JedisConnectionFactory connectionFactory(RedisClusterConfiguration cluster) {
		return started(new JedisConnectionFactory(cluster, pooled(-1)));
	}

	private static JedisClientConfiguration pooled(int most) {
		GenericObjectPoolConfig<?> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(most);
		pool.setMaxIdle(most);
		pool.setMaxWait(TIMEOUT);
		return JedisClientConfiguration.builder()
			.connectTimeout(TIMEOUT)
			.readTimeout(TIMEOUT)
			.usePooling()
			.poolConfig(pool)
			.build();
	}

	private static JedisConnectionFactory started(JedisConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
