package io.lowkiq.autoconfigure.redis.service;

import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.LowkiqException;
import io.lowkiq.autoconfigure.LowkiqAutoConfiguration;
import io.lowkiq.autoconfigure.redis.LowkiqRedisConnectionDetails;
import io.lowkiq.redis.RedisStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The wiring of containers, without Docker.
 */
class ServiceConnectionTests {

	@Test
	void aContainerForLowkiqIsTheRedisOfTheJobsAlone() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class,
					DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withUserConfiguration(Containers.class)
			.withPropertyValues("spring.data.redis.host=shared", "lowkiq.redis.timeout=2s")
			.run((context) -> {
				LettuceConnectionFactory jobs = (LettuceConnectionFactory) context.getBean(RedisStore.class)
					.connectionFactory();
				assertThat(jobs).isNotNull();
				assertThat(jobs.getHostName()).isEqualTo("container");
				assertThat(jobs.getPort()).isEqualTo(7402);
				assertThat(jobs.getTimeout()).isEqualTo(2_000);
				assertThat(context.getBean(LettuceConnectionFactory.class).getHostName()).isEqualTo("shared");
				assertThat(context).hasSingleBean(DataRedisConnectionDetails.class);
			});
	}

	@Test
	void theSchemeOfAUrlIsThatOfItsOwnServerOnly() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class,
					DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withUserConfiguration(Containers.class)
			.withPropertyValues("lowkiq.redis.url=rediss://jobs:6380")
			.run((context) -> {
				LettuceConnectionFactory jobs = (LettuceConnectionFactory) context.getBean(RedisStore.class)
					.connectionFactory();
				assertThat(jobs).isNotNull();
				assertThat(jobs.getHostName()).isEqualTo("container");
				assertThat(jobs.isUseSsl()).isFalse();
			});
	}

	@Test
	void aBeanThatSaysNoAddressIsNamed() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class))
			.withBean("jobsAddress", LowkiqRedisConnectionDetails.class, () -> () -> new DataRedisConnectionDetails() {
				@Override
				public Standalone getStandalone() {
					throw new IllegalStateException("No port is mapped");
				}
			})
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqException.class)
				.hasMessageStartingWith("The bean 'jobsAddress' and lowkiq.redis.* describe no connection")
				.hasMessageEndingWith("No port is mapped"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Containers {

		@Bean
		@ServiceConnection(name = "lowkiq")
		Started redis() {
			return new Started();
		}

	}

	/** A container that needs no Docker. */
	static final class Started extends GenericContainer<Started> {

		Started() {
			super("redis:7.2-alpine");
		}

		@Override
		public void start() {
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return true;
		}

		@Override
		public String getHost() {
			return "container";
		}

		@Override
		public Integer getMappedPort(int port) {
			return (port == 6379) ? 7402 : -1;
		}

	}

}
