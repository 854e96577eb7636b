package io.lowkiq.autoconfigure.redis.service;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * The one server in a container.
 *
 * @param host the host of its port
 * @param port the port that is mapped to that of Redis
 * @param sslBundle its TLS; null for none
 */
record StandaloneDetails(String host, int port, @Nullable SslBundle sslBundle) implements DataRedisConnectionDetails {

	/** The port of Redis in a container. */
	static final int REDIS_PORT = 6379;

	@Override
	public Standalone getStandalone() {
		return Standalone.of(this.host, this.port);
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return this.sslBundle;
	}

}
