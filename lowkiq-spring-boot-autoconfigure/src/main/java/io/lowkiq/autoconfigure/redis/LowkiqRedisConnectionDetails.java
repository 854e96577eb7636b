package io.lowkiq.autoconfigure.redis;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * The address of a Redis that keeps only jobs. A bean of this type wins over the address
 * in {@code lowkiq.redis.*}; the other properties there, such as timeouts, apply to it.
 * <p>
 * It is no {@link DataRedisConnectionDetails}, which would be those of the application's
 * own connection.
 */
@FunctionalInterface
public interface LowkiqRedisConnectionDetails extends ConnectionDetails {

	/** The name of the service, for containers of Docker Compose and Testcontainers. */
	String SERVICE = "lowkiq";

	/** The server or servers, with user, password and TLS. */
	DataRedisConnectionDetails redis();

}
