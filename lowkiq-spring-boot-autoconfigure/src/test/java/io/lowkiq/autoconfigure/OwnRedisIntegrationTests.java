package io.lowkiq.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.EpollProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.autoconfigure.health.LowkiqHealthContributorAutoConfiguration;
import io.lowkiq.autoconfigure.redis.LowkiqRedisConnectionDetails;
import io.lowkiq.redis.LowkiqRedis;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * An application with two servers: one for its cache and one for jobs.
 */
@ExtendWith(OutputCaptureExtension.class)
class OwnRedisIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void jobsAreInTheQualifiedRedisOnly(CapturedOutput output) throws Exception {
		try (RedisProcess cache = TestRedis.startPrivate();
				RedisProcess jobs = TestRedis.startPrivate("--maxmemory-policy", "allkeys-lfu")) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
						LowkiqAutoConfiguration.class, LowkiqHealthContributorAutoConfiguration.class))
				.withUserConfiguration(JobsApart.class)
				.withBean(GatedWorker.class)
				.withPropertyValues("spring.data.redis.url=" + cache.url(), "jobs.redis.url=" + jobs.url())
				.run((context) -> {
					StringRedisTemplate cached = context.getBean(StringRedisTemplate.class);
					cached.opsForValue().set("cached", "value");
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
					GatedWorker worker = context.getBean(GatedWorker.class);
					await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
					HealthIndicator health = context.getBean(HealthIndicator.class);
					await().atMost(LONG)
						.untilAsserted(() -> assertThat(health.health().getStatus()).isEqualTo(Status.UP));
					assertThat(cached.keys("*")).containsExactly("cached");
					StringRedisTemplate own = new StringRedisTemplate(
							context.getBean("jobs", LettuceConnectionFactory.class));
					assertThat(own.keys("*")).isNotEmpty().allMatch((key) -> key.startsWith("lowkiq:"));
					cache.stop();
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "43", "sent");
					await().atMost(LONG)
						.untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid", "43=sent"));
					await().atMost(LONG)
						.untilAsserted(
								() -> assertThat(output).contains("The maxmemory-policy of Redis is 'allkeys-lfu'"));
				});
		}
	}

	/** A cache, a session and the like take the only connection factory that there is. */
	@Test
	void propertiesDescribeARedisThatOnlyJobsUse() {
		try (RedisProcess cache = TestRedis.startPrivate(); RedisProcess jobs = TestRedis.startPrivate()) {
			withPropertiesOnly(cache, jobs).run((context) -> {
				context.getBean(StringRedisTemplate.class).opsForValue().set("cached", "value");
				context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
				GatedWorker worker = context.getBean(GatedWorker.class);
				await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
				assertThat(context).hasSingleBean(RedisConnectionFactory.class);
				assertThat(context.getBean(StringRedisTemplate.class).keys("*")).containsExactly("cached");
				assertThat(jobs.call("EXISTS", "cached")).isEqualTo("0");
				assertThat(Integer.parseInt(String.valueOf(jobs.call("DBSIZE")))).isPositive();
				assertThat(jobs.call("CLIENT", "LIST")).contains("name=jobs-of-shop");
				assertThat(cache.call("CLIENT", "LIST")).doesNotContain("name=jobs-of-shop");
			});
			assertThat(jobs.call("CLIENT", "LIST")).as("after the end of the context").doesNotContain("jobs-of-shop");
		}
	}

	@Test
	void enqueueFailsWithinTheTimeoutOfAFrozenRedis() {
		try (RedisProcess cache = TestRedis.startPrivate(); RedisProcess jobs = TestRedis.startPrivate()) {
			withPropertiesOnly(cache, jobs)
				.withPropertyValues("lowkiq.redis.timeout=300ms", "lowkiq.server.enabled=false")
				.run((context) -> {
					LowkiqClient client = context.getBean(LowkiqClient.class);
					client.enqueue(GatedWorker.class, "41", "sent");
					jobs.pause();
					try {
						// Without the property, the timeout is 60 seconds
						await().atMost(LONG)
							.untilAsserted(() -> assertThat(CompletableFuture.supplyAsync(
									() -> catchThrowable(() -> client.enqueue(GatedWorker.class, "42", "paid"))))
								.succeedsWithin(LONG.dividedBy(2))
								.isInstanceOf(StoreException.class));
					}
					finally {
						jobs.resume();
					}
					await().atMost(LONG)
						.untilAsserted(() -> assertThatCode(() -> client.enqueue(GatedWorker.class, "43", "paid"))
							.doesNotThrowAnyException());
				});
		}
	}

	@Test
	void propertiesHaveTlsAndCustomizersOfTheApplication() {
		DefaultClientResources resources = DefaultClientResources.create();
		try {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class,
						LowkiqAutoConfiguration.class))
				.withBean(ClientResources.class, () -> resources, (definition) -> definition.setDestroyMethodName(""))
				.withBean(LettuceClientConfigurationBuilderCustomizer.class,
						() -> (builder) -> builder.clientName("customized"))
				.withPropertyValues("spring.ssl.bundle.pem.jobs.keystore.private-key=", "lowkiq.redis.ssl.bundle=jobs",
						"lowkiq.redis.timeout=7s", "lowkiq.redis.connect-timeout=3s", "lowkiq.redis.username=me",
						"lowkiq.redis.password=secret", "lowkiq.redis.database=3", "lowkiq.redis.sentinel.master=main",
						"lowkiq.redis.sentinel.nodes=one:1,two:2")
				.run((context) -> {
					LettuceConnectionFactory factory = jobsFactory(context);
					LettuceClientConfiguration client = factory.getClientConfiguration();
					assertThat(client.isUseSsl()).isTrue();
					assertThat(client.getClientResources()).containsSame(resources);
					assertThat(client.getClientName()).contains("customized");
					assertThat(client.getCommandTimeout()).isEqualTo(Duration.ofSeconds(7));
					SocketOptions socket = client.getClientOptions().orElseThrow().getSocketOptions();
					assertThat(socket.getConnectTimeout()).isEqualTo(Duration.ofSeconds(3));
					assertThat(socket.isEnableTcpUserTimeout()).isEqualTo(EpollProvider.isAvailable());
					RedisSentinelConfiguration sentinel = Objects.requireNonNull(factory.getSentinelConfiguration());
					assertThat(sentinel.getSentinels()).hasSize(2);
					assertThat(sentinel.getDatabase()).isEqualTo(3);
					assertThat(sentinel.getUsername()).isEqualTo("me");
					LettuceConnectionFactory boots = context.getBean(LettuceConnectionFactory.class);
					assertThat(boots.isRedisSentinelAware()).isFalse();
					assertThat(boots.getDatabase()).isZero();
				});
		}
		finally {
			resources.shutdown(0, 0, TimeUnit.SECONDS);
		}
	}

	@Test
	void propertiesWithoutAnAddressAreAddedToThoseOfTheApplication() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=shared", "spring.data.redis.port=7402",
					"spring.data.redis.password=secret", "spring.data.redis.ssl.enabled=true",
					"spring.data.redis.client-name=shop", "lowkiq.redis.timeout=2s")
			.run((context) -> {
				LettuceConnectionFactory jobs = jobsFactory(context);
				assertThat(jobs.getHostName()).isEqualTo("shared");
				assertThat(jobs.getPort()).isEqualTo(7402);
				assertThat(jobs.getPassword()).isEqualTo("secret");
				assertThat(jobs.isUseSsl()).isTrue();
				assertThat(jobs.getClientName()).isEqualTo("shop");
				assertThat(jobs.getTimeout()).isEqualTo(2_000);
				assertThat(context.getBean(LettuceConnectionFactory.class).getTimeout()).isEqualTo(60_000);
			});
	}

	@Test
	void propertiesWithAnAddressGetNothingOfTheApplication() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=shared", "spring.data.redis.password=secret",
					"lowkiq.redis.port=7402")
			.run((context) -> {
				LettuceConnectionFactory jobs = jobsFactory(context);
				assertThat(jobs.getHostName()).isEqualTo("localhost");
				assertThat(jobs.getPort()).isEqualTo(7402);
				assertThat(jobs.getPassword()).isNull();
			});
	}

	@Test
	void propertiesWithoutAnAddressGoWhereConnectionDetailsSay() {
		DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
			@Override
			public Standalone getStandalone() {
				return Standalone.of("container", 7402);
			}
		};
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withBean(DataRedisConnectionDetails.class, () -> details)
			.withPropertyValues("lowkiq.redis.timeout=2s")
			.run((context) -> {
				assertThat(jobsFactory(context).getHostName()).isEqualTo("container");
				assertThat(jobsFactory(context).getTimeout()).isEqualTo(2_000);
			});
	}

	@Test
	void propertiesWithoutAnAddressBesideAConnectionOfTheApplicationAreRefused() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("elsewhere", 7402))
			.withPropertyValues("lowkiq.redis.timeout=2s")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("lowkiq.redis.* is set without an address"));
	}

	@ParameterizedTest
	@CsvSource({ "lowkiq.redis.port=99999, lowkiq.redis.port is '99999'; it must be a number from 1 to 65535",
			"lowkiq.redis.database=-1, lowkiq.redis.database is '-1'; it must be 0 or more",
			"lowkiq.redis.ssl.bundle=none, lowkiq.redis.ssl.bundle is 'none'; it must be the name of a bundle",
			"lowkiq.redis.sentinel.nodes=one:1, lowkiq.redis.sentinel.master is ''; it must be the name of the master",
			"lowkiq.redis.sentinel.master=main, lowkiq.redis.sentinel.nodes is ''; it must be the addresses",
			"lowkiq.redis.url=http://jobs, lowkiq.redis.* describes no connection to Redis" })
	void propertiesThatCanNotWorkAreNamed(String property, String message) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class,
					LowkiqAutoConfiguration.class))
			.withPropertyValues(property)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining(message));
	}

	@Test
	void optionsOfTheApplicationReplaceThoseForDeadConnections() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class))
			.withBean(LettuceClientOptionsBuilderCustomizer.class,
					() -> (options) -> options.socketOptions(SocketOptions.create()))
			.withPropertyValues("lowkiq.redis.host=jobs")
			.run((context) -> {
				ClientOptions options = jobsFactory(context).getClientConfiguration().getClientOptions().orElseThrow();
				assertThat(options.getSocketOptions().isEnableTcpUserTimeout()).isFalse();
			});
	}

	@Test
	void propertiesDescribeAClusterThatEnvironmentVariablesName() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class))
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("test-" + "systemEnvironment",
						Map.of("LOWKIQ_REDIS_CLUSTER_NODES", "one:1,two:2", "LOWKIQ_REDIS_CLIENT_NAME", "jobs"))))
			.run((context) -> {
				LettuceConnectionFactory factory = jobsFactory(context);
				assertThat(Objects.requireNonNull(factory.getClusterConfiguration()).getClusterNodes()).hasSize(2);
				assertThat(factory.getClientName()).isEqualTo("jobs");
			});
	}

	private static LettuceConnectionFactory jobsFactory(ApplicationContext context) {
		return (LettuceConnectionFactory) context.getBean(RedisStore.class).connectionFactory();
	}

	private static ApplicationContextRunner withPropertiesOnly(RedisProcess cache, RedisProcess jobs) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withBean(GatedWorker.class)
			.withPropertyValues("spring.data.redis.url=" + cache.url(), "lowkiq.redis.url=" + jobs.url(),
					"lowkiq.redis.client-name=jobs-of-shop");
	}

	@Test
	void detailsOfTheJobsRedisSayWhereItIsAndPropertiesTheRest() {
		DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
			@Override
			public String getPassword() {
				return "of-jobs";
			}

			@Override
			public Standalone getStandalone() {
				return Standalone.of("container", 7402);
			}
		};
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
			.withBean(LowkiqRedisConnectionDetails.class, () -> () -> details)
			.withPropertyValues("spring.data.redis.host=shared", "spring.data.redis.client-name=shop",
					"lowkiq.redis.host=ignored", "lowkiq.redis.timeout=2s")
			.run((context) -> {
				LettuceConnectionFactory jobs = jobsFactory(context);
				assertThat(jobs.getHostName()).isEqualTo("container");
				assertThat(jobs.getPort()).isEqualTo(7402);
				assertThat(jobs.getPassword()).isEqualTo("of-jobs");
				assertThat(jobs.getTimeout()).isEqualTo(2_000);
				assertThat(jobs.getClientName()).isNull();
				assertThat(context.getBean(LettuceConnectionFactory.class).getHostName()).isEqualTo("shared");
			});
	}

	/** Docker Compose and {@code @ServiceConnection} make such a bean. */
	@Test
	void connectionDetailsWinOverProperties() throws Exception {
		try (RedisProcess container = TestRedis.startPrivate()) {
			URI url = URI.create(container.url());
			DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
				@Override
				public Standalone getStandalone() {
					return Standalone.of(url.getHost(), url.getPort());
				}
			};
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
				.withBean(DataRedisConnectionDetails.class, () -> details)
				.withBean(GatedWorker.class)
				.withPropertyValues("spring.data.redis.url=redis://no-such-host.invalid:1")
				.run((context) -> {
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
					GatedWorker worker = context.getBean(GatedWorker.class);
					await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
				});
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class JobsApart {

		@LowkiqRedis
		@Bean(defaultCandidate = false)
		LettuceConnectionFactory jobs(@Value("${jobs.redis.url}") URI url) {
			return new LettuceConnectionFactory(url.getHost(), url.getPort());
		}

	}

}
