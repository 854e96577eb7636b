package io.lowkiq.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connections of Jedis for messages only, each used once.
 * <p>
 * Jedis puts a connection that listened back into its pool, in which another thread takes
 * it for a command. Whatever is left in it to read, such as a second answer to
 * UNSUBSCRIBE, would be taken for that command's answer, and each later answer for that
 * of the command after it. So the application's pool never sees a connection that
 * listened, nor has one less for commands.
 */
final class JedisMessageConnections {

	private JedisMessageConnections() {
	}

	/**
	 * Connections to the same Redis with the same settings, but for the pool.
	 * @param factory the application's
	 * @return a started factory, to be destroyed by the caller
	 */
	static JedisConnectionFactory to(JedisConnectionFactory factory) {
		JedisClientConfiguration client = new UsedOnce(factory.getClientConfiguration());
		JedisConnectionFactory own = create(factory, client);
		own.setUseUnifiedJedis(factory.isUseUnifiedJedis());
		own.afterPropertiesSet();
		own.start();
		return own;
	}

	private static JedisConnectionFactory create(JedisConnectionFactory factory, JedisClientConfiguration client) {
		RedisClusterConfiguration cluster = factory.getClusterConfiguration();
		if (cluster != null) {
			return new JedisConnectionFactory(cluster, client);
		}
		RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
		if (sentinel != null) {
			return new JedisConnectionFactory(sentinel, client);
		}
		RedisStandaloneConfiguration server = Objects.requireNonNull(factory.getStandaloneConfiguration(),
				"Jedis connects to one server, by Sentinel, or to a cluster");
		return new JedisConnectionFactory(server, client);
	}

	/**
	 * The application's settings, with a pool that keeps nothing.
	 *
	 * @param given the application's
	 */
	private record UsedOnce(JedisClientConfiguration given) implements JedisClientConfiguration {

		@Override
		public boolean isUsePooling() {
			return true;
		}

		@Override
		public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
			GenericObjectPoolConfig<?> pool = new GenericObjectPoolConfig<>();
			pool.setMaxTotal(-1);
			pool.setMaxIdle(0);
			return Optional.of(pool);
		}

		@Override
		public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
			return this.given.getClientConfigCustomizer();
		}

		@Override
		public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
			return this.given.getClientCustomizer();
		}

		@Override
		public boolean isUseSsl() {
			return this.given.isUseSsl();
		}

		@Override
		public Optional<SSLSocketFactory> getSslSocketFactory() {
			return this.given.getSslSocketFactory();
		}

		@Override
		public Optional<SSLParameters> getSslParameters() {
			return this.given.getSslParameters();
		}

		@Override
		public Optional<HostnameVerifier> getHostnameVerifier() {
			return this.given.getHostnameVerifier();
		}

		@Override
		public Optional<String> getClientName() {
			return this.given.getClientName();
		}

		@Override
		public Duration getConnectTimeout() {
			return this.given.getConnectTimeout();
		}

		@Override
		public Duration getReadTimeout() {
			return this.given.getReadTimeout();
		}

	}

}
