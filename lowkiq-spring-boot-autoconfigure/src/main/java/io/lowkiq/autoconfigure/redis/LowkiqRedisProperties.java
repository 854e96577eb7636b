package io.lowkiq.autoconfigure.redis;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;

/**
 * The connection to a Redis that keeps only jobs. It has the properties of Spring Boot's
 * connection.
 */
@ConfigurationProperties(LowkiqRedisProperties.PREFIX)
public class LowkiqRedisProperties extends DataRedisProperties {

	static final String PREFIX = "lowkiq.redis";

}
