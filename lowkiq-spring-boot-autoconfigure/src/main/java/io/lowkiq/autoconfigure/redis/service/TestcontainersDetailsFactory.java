package io.lowkiq.autoconfigure.redis.service;

import org.testcontainers.containers.Container;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

import io.lowkiq.autoconfigure.redis.LowkiqRedisConnectionDetails;

/**
 * Makes a container with {@code @ServiceConnection(name = "lowkiq")} the Redis of the
 * jobs.
 */
class TestcontainersDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, LowkiqRedisConnectionDetails> {

	TestcontainersDetailsFactory() {
		super(LowkiqRedisConnectionDetails.SERVICE);
	}

	@Override
	protected LowkiqRedisConnectionDetails getContainerConnectionDetails(
			ContainerConnectionSource<Container<?>> source) {
		return new Details(source);
	}

	/**
	 * Asks the container when it has started.
	 */
	private static final class Details extends ContainerConnectionDetails<Container<?>>
			implements LowkiqRedisConnectionDetails {

		private Details(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public DataRedisConnectionDetails redis() {
			Container<?> container = getContainer();
			return new StandaloneDetails(container.getHost(), container.getMappedPort(StandaloneDetails.REDIS_PORT),
					getSslBundle());
		}

	}

}
