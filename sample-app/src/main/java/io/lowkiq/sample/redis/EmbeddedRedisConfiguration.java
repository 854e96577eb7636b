package io.lowkiq.sample.redis;

import java.nio.file.Path;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Starts a Redis when none is configured. */
@Configuration(proxyBeanMethods = false)
@Conditional(NoRedisConfigured.class)
class EmbeddedRedisConfiguration {

	@Bean
	EmbeddedRedis embeddedRedis(@Value("${sample.redis-directory:target/redis}") Path directory) {
		return EmbeddedRedis.start(directory);
	}

	/**
	 * Where the embedded Redis listens. Taking the server as a parameter lets it end
	 * after the connections.
	 */
	@Bean
	DataRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedis redis) {
		return new Details(redis.port());
	}

	/** A Redis on this machine. */
	private record Details(int port) implements DataRedisConnectionDetails {

		@Override
		public Standalone getStandalone() {
			return Standalone.of("127.0.0.1", this.port);
		}

	}

}
