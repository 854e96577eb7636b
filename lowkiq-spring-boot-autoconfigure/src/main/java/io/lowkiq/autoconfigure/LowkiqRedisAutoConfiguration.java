package io.lowkiq.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lettuce.core.RedisClient;

import io.lowkiq.autoconfigure.redis.JobsRedis;
import io.lowkiq.internal.DurationText;
import io.lowkiq.redis.LowkiqRedis;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ReplicaWait;

/** Auto-configuration of the storage on Redis, unless the application brings one. */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "lowkiq.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LowkiqProperties.class)
@ConditionalOnMissingBean(RedisStore.class)
public final class LowkiqRedisAutoConfiguration {

	@Bean
	RedisStore lowkiqStore(@LowkiqRedis ObjectProvider<RedisConnectionFactory> own,
			ObjectProvider<RedisConnectionFactory> all, ObjectProvider<JobsRedis> jobsRedis, ListableBeanFactory beans,
			LowkiqProperties properties) {
		String prefix = properties.keyPrefix();
		LowkiqConfigurationException.check(prefix.matches("[A-Za-z0-9._:-]{1,100}"), "lowkiq.key-prefix",
				"'" + prefix + "'", "be 1 to 100 letters, digits, '.', '_', ':' or '-'");
		RedisConnectionFactory connectionFactory = choose(own, all, jobsRedis, beans);
		if (!(connectionFactory instanceof LettuceConnectionFactory)) {
			throw new LowkiqConfigurationException(
					"Lowkiq needs Lettuce, but the connections to Redis come from a %s"
						.formatted(connectionFactory.getClass().getName()),
					"Add io.lettuce:lettuce-core to the dependencies, "
							+ "and set spring.data.redis.client-type to 'lettuce' or remove it");
		}
		return new RedisStore(connectionFactory, prefix, null, replicaWait(properties.client()));
	}

	/** The qualified one; else of {@code lowkiq.redis.url}; else the only or primary. */
	private static RedisConnectionFactory choose(ObjectProvider<RedisConnectionFactory> own,
			ObjectProvider<RedisConnectionFactory> all, ObjectProvider<JobsRedis> jobsRedis,
			ListableBeanFactory beans) {
		boolean isQualified = own.stream().findAny().isPresent();
		JobsRedis byProperties = jobsRedis.getIfAvailable();
		LettuceConnectionFactory described = (byProperties != null) ? byProperties.connectionFactory() : null;
		if (described != null && isQualified) {
			throw new LowkiqConfigurationException(
					"It is not clear which Redis is for jobs: lowkiq.redis.url is set, "
							+ "and a RedisConnectionFactory is annotated with @LowkiqRedis",
					"Remove the property or the annotation");
		}
		if (described != null) {
			return described;
		}
		RedisConnectionFactory chosen = isQualified ? own.getIfUnique() : all.getIfUnique();
		if (chosen != null) {
			return chosen;
		}
		String[] names = beans.getBeanNamesForType(RedisConnectionFactory.class, true, false);
		if (names.length == 0) {
			throw new LowkiqConfigurationException("There is no RedisConnectionFactory, so jobs have no store",
					"Add org.springframework.boot:spring-boot-starter-data-redis to the dependencies, "
							+ "or define a RedisConnectionFactory");
		}
		throw new LowkiqConfigurationException(
				"It is not clear which Redis is for jobs: there are several beans of type RedisConnectionFactory: %s"
					.formatted(String.join(", ", names)),
				"Annotate the one for the jobs with @io.lowkiq.redis.LowkiqRedis, and no other. "
						+ "Or set lowkiq.redis.url, to give jobs a Redis of their own");
	}

	private static @Nullable ReplicaWait replicaWait(LowkiqProperties.Client client) {
		int replicas = client.waitForReplicas();
		if (replicas == 0) {
			return null;
		}
		LowkiqConfigurationException.check(replicas > 0, "lowkiq.client.wait-for-replicas", replicas,
				"not be negative");
		Duration timeout = client.waitTimeout();
		LowkiqConfigurationException.check(timeout.toMillis() >= 1, "lowkiq.client.wait-timeout",
				DurationText.of(timeout), "be at least 1ms");
		return new ReplicaWait(replicas, timeout);
	}

	/** The connections of {@code lowkiq.redis.url}, where there is Lettuce. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RedisClient.class)
	static class LettuceConfiguration {

		@Bean
		JobsRedis lowkiqJobsRedis(LowkiqProperties properties, ApplicationContext context) {
			try {
				return new JobsRedis(properties.redis().url(), context);
			}
			catch (IllegalArgumentException ex) {
				// It may name the password
				throw new LowkiqConfigurationException("lowkiq.redis.url is no URL of a Redis",
						"Set it to redis://user:password@host:6379/0, or to rediss:// for TLS. "
								+ "For all else, annotate a RedisConnectionFactory with @io.lowkiq.redis.LowkiqRedis");
			}
		}

	}

}
