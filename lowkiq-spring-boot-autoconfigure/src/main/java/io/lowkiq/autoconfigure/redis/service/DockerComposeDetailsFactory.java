package io.lowkiq.autoconfigure.redis.service;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

import io.lowkiq.autoconfigure.redis.LowkiqRedisConnectionDetails;

/**
 * Makes a service of Docker Compose with the label
 * {@code org.springframework.boot.service-connection: lowkiq} the Redis of the jobs.
 */
class DockerComposeDetailsFactory extends DockerComposeConnectionDetailsFactory<LowkiqRedisConnectionDetails> {

	DockerComposeDetailsFactory() {
		super(LowkiqRedisConnectionDetails.SERVICE);
	}

	@Override
	protected LowkiqRedisConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		return new Details(source.getRunningService());
	}

	/**
	 * Knows the service, which is running.
	 */
	private static final class Details extends DockerComposeConnectionDetails implements LowkiqRedisConnectionDetails {

		private final StandaloneDetails redis;

		private Details(RunningService service) {
			super(service);
			this.redis = new StandaloneDetails(service.host(), service.ports().get(StandaloneDetails.REDIS_PORT),
					getSslBundle(service));
		}

		@Override
		public DataRedisConnectionDetails redis() {
			return this.redis;
		}

	}

}
