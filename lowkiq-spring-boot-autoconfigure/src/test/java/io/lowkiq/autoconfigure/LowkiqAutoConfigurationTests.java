package io.lowkiq.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;

import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformContext;
import io.lowkiq.engine.perform.StackTraceErrorFormatter;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.schedule.ByNodeShardSplitter;
import io.lowkiq.engine.schedule.DefaultShardSplitter;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.engine.schedule.SeqShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardSplitter;
import io.lowkiq.engine.schedule.WeightedShardScheduler;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.redis.LowkiqRedis;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class LowkiqAutoConfigurationTests {

	private final ApplicationContextRunner redis = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
				LowkiqServerAutoConfiguration.class))
		.withPropertyValues("lowkiq.server.enabled=false");

	private final ApplicationContextRunner memory = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	@Test
	void makesTheClientAndTheServerOnRedis() {
		this.redis.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(LowkiqClient.class)
			.hasSingleBean(LowkiqServer.class)
			.hasSingleBean(WorkerRegistry.class)
			.hasSingleBean(RedisStore.class)
			.hasSingleBean(RedisStore.class)
			.hasSingleBean(PerformContext.class)
			.hasSingleBean(QueueStatistics.class));
	}

	@Test
	void makesNothingWhenItIsDisabled() {
		this.redis.withPropertyValues("lowkiq.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LowkiqClient.class)
				.doesNotHaveBean(LowkiqServer.class)
				.doesNotHaveBean(WorkerRegistry.class));
	}

	@Test
	void theTemplatesOfTheApplicationStayTheOnlyOnes() {
		this.redis.run((context) -> {
			assertThat(context.getBeanNamesForType(RedisTemplate.class)).containsExactlyInAnyOrder("redisTemplate",
					"stringRedisTemplate");
			assertThat(context).hasSingleBean(StringRedisTemplate.class);
		});
	}

	@Test
	void anotherStoreNeedsNoRedis() {
		this.memory.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LowkiqClient.class);
			assertThat(context).getBean(RedisStore.class).isInstanceOf(RedisStore.class);
		});
	}

	@Test
	void failsOnABadKeyPrefix() {
		this.redis.withPropertyValues("lowkiq.key-prefix={a}")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageStartingWith("lowkiq.key-prefix is '{a}'"));
	}

	@Test
	void failsOnABadNumberOfReplicasToWaitFor() {
		this.redis.withPropertyValues("lowkiq.client.wait-for-replicas=-1")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageStartingWith("lowkiq.client.wait-for-replicas is -1"));
	}

	@Test
	void failsOnABadTimeToWaitForReplicas() {
		this.redis.withPropertyValues("lowkiq.client.wait-for-replicas=1", "lowkiq.client.wait-timeout=0s")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageStartingWith("lowkiq.client.wait-timeout is 0 s"));
	}

	@Test
	void failsWhereTheConnectionsAreNotMadeByLettuce() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.withPropertyValues("lowkiq.server.enabled=false")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageStartingWith("Lowkiq needs Lettuce"));
	}

	@Test
	void theQualifiedConnectionKeepsTheJobsAndSpringBootsKeepsTheRest() {
		this.redis.withUserConfiguration(JobsApart.class).run((context) -> {
			assertThat(context).hasNotFailed();
			RedisConnectionFactory jobs = context.getBean("jobs", RedisConnectionFactory.class);
			RedisConnectionFactory rest = context.getBean("redisConnectionFactory", RedisConnectionFactory.class);
			assertThat(context.getBean(RedisStore.class).connectionFactory()).isSameAs(jobs);
			assertThat(context.getBean(StringRedisTemplate.class).getConnectionFactory()).isSameAs(rest);
		});
	}

	@Test
	void theQualifiedConnectionWinsOverThePrimaryOne() {
		this.redis.withUserConfiguration(PrimaryCache.class)
			.withUserConfiguration(JobsApart.class)
			.run((context) -> assertThat(context.getBean(RedisStore.class).connectionFactory())
				.isSameAs(context.getBean("jobs")));
	}

	@Test
	void withoutTheQualifierThePrimaryConnectionKeepsTheJobs() {
		this.redis.withUserConfiguration(PrimaryCache.class)
			.withBean("other", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
			.run((context) -> assertThat(context.getBean(RedisStore.class).connectionFactory())
				.isSameAs(context.getBean("cache")));
	}

	@Test
	void aStoreOfTheApplicationIsNotAskedWhichConnectionIsMeant() {
		this.redis.withUserConfiguration(OwnStore.class)
			.withPropertyValues("lowkiq.server.enabled=true")
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(RedisStore.class);
				assertThat(context.getBean(RedisStore.class).connectionFactory()).isSameAs(context.getBean("two"));
			});
	}

	@Test
	void theJsonOfTheApplicationLeavesThatOfPayloadsAlone() {
		this.redis
			.withPropertyValues("spring.jackson.property-naming-strategy=SNAKE_CASE",
					"spring.jackson.serialization.indent-output=true",
					"spring.jackson.deserialization.fail-on-unknown-properties=true")
			.withUserConfiguration(RestMapper.class)
			.run((context) -> {
				assertThat(context.getBean(JsonMapper.class).writeValueAsString(new Change(7)))
					.contains("order_version");
				PayloadCodec codec = context.getBean(PayloadCodec.class);
				assertThat(codec.encode(new Change(7), Change.class)).asString().isEqualTo("{\"orderVersion\":7}");
				assertThat(codec.decode("{\"orderVersion\":7,\"x\":1}".getBytes(StandardCharsets.UTF_8), Change.class))
					.isEqualTo(new Change(7));
			});
	}

	@Test
	void customizersChangeTheJsonOfPayloadsInOrder() {
		this.memory.withUserConfiguration(JsonCustomizers.class)
			.run((context) -> assertThat(context.getBean(PayloadCodec.class).encode(new Change(7), Change.class))
				.asString()
				.isEqualTo("{\"order-version\":7}"));
	}

	@Test
	void withoutJacksonAnotherCodecServes() {
		PayloadCodec own = mock(PayloadCodec.class);
		this.memory.withClassLoader(new FilteredClassLoader("tools.jackson"))
			.withBean(PayloadCodec.class, () -> own)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(PayloadCodec.class)).isSameAs(own);
			});
	}

	@Test
	void withoutActuatorMetricsAndTransactionsItStarts() {
		this.memory
			.withConfiguration(
					AutoConfigurations.of(io.lowkiq.autoconfigure.health.LowkiqHealthContributorAutoConfiguration.class,
							io.lowkiq.autoconfigure.metrics.LowkiqMetricsAutoConfiguration.class,
							io.lowkiq.autoconfigure.endpoint.LowkiqEndpointAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate",
					"org.springframework.boot.health", "io.micrometer.core", "org.springframework.transaction"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LowkiqClient.class)
				.hasSingleBean(LowkiqServer.class));
	}

	@Test
	void afterCommitNeedsTransactions() {
		this.memory.withClassLoader(new FilteredClassLoader("org.springframework.transaction"))
			.withPropertyValues("lowkiq.client.transactional=after-commit")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("no transactions on the class path"));
	}

	@Test
	void ownBeansReplaceTheDefaults() {
		this.memory.withUserConfiguration(OwnBeans.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (Class<?> type : List.of(LowkiqClient.class, ErrorFormatter.class, PayloadCodec.class,
					ShardSplitter.class, ShardScheduler.class, PerformContext.class, WorkerRegistry.class)) {
				assertThat(context.getBeanNamesForType(type)).as(type.getSimpleName())
					.singleElement()
					.asString()
					.startsWith("own");
			}
		});
	}

	@Test
	void theDefaultsOfTheExtensionPoints() {
		this.memory.run((context) -> {
			assertThat(context.getBean(ErrorFormatter.class)).isInstanceOf(StackTraceErrorFormatter.class);
			assertThat(context.getBean(ShardSplitter.class)).isInstanceOf(DefaultShardSplitter.class);
			assertThat(context.getBean(ShardScheduler.class)).isInstanceOf(LagShardScheduler.class);
		});
	}

	@Test
	void choosesTheSplitterByNode() {
		this.memory
			.withPropertyValues("lowkiq.server.splitter=by-node", "lowkiq.server.node-count=2",
					"lowkiq.server.node-number=1")
			.run((context) -> assertThat(context.getBean(ShardSplitter.class)).isInstanceOf(ByNodeShardSplitter.class));
	}

	@Test
	void choosesTheSequentialScheduler() {
		this.memory.withPropertyValues("lowkiq.server.scheduler=seq")
			.run((context) -> assertThat(context.getBean(ShardScheduler.class)).isInstanceOf(SeqShardScheduler.class));
	}

	@Test
	void choosesTheWeightedScheduler() {
		this.memory.withPropertyValues("lowkiq.server.scheduler=weighted")
			.run((context) -> assertThat(context.getBean(ShardScheduler.class))
				.isInstanceOf(WeightedShardScheduler.class));
	}

	@Test
	void customizersChangeTheServerInOrder() {
		this.memory.withUserConfiguration(Customizers.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Calls.class).names()).containsExactly("first", "second");
			assertThat(context.getBean(LowkiqServer.class).status().node()).isEqualTo("second");
		});
	}

	@Test
	void theServerStartsAlsoUnderLazyInitialization() {
		this.memory.withPropertyValues("lowkiq.server.enabled=true")
			.withBean(LazyInitializationBeanFactoryPostProcessor.class, LazyInitializationBeanFactoryPostProcessor::new)
			.withUserConfiguration(WorkerDiscoveryTests.OrderWorker.class)
			.run((context) -> assertThat(context.getBean(LowkiqServer.class).isRunning()).isTrue());
	}

	@Test
	void theScriptsAreKeptInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new ScriptRuntimeHints().registerHints(hints, getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.resource().forResource("io/lowkiq/redis/enqueue.lua")).accepts(hints);
		assertThat(RuntimeHintsPredicates.resource().forResource("io/lowkiq/store/node/build.properties"))
			.accepts(hints);
	}

	@Configuration(proxyBeanMethods = false)
	static class RestMapper {

		@Bean
		JsonMapperBuilderCustomizer camelsToSnakes() {
			return (builder) -> builder.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class JsonCustomizers {

		@Bean
		@Order(2)
		LowkiqJsonMapperBuilderCustomizer kebabs() {
			return (builder) -> builder.propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);
		}

		@Bean
		@Order(1)
		LowkiqJsonMapperBuilderCustomizer snakes() {
			return (builder) -> builder.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class JobsApart {

		@LowkiqRedis
		@Bean(defaultCandidate = false)
		LettuceConnectionFactory jobs() {
			return new LettuceConnectionFactory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryCache {

		@Bean
		@Primary
		LettuceConnectionFactory cache() {
			return new LettuceConnectionFactory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnStore {

		@Bean
		LettuceConnectionFactory one() {
			return new LettuceConnectionFactory();
		}

		@Bean
		LettuceConnectionFactory two() {
			return new LettuceConnectionFactory();
		}

		@Bean
		RedisStore ownStore(LettuceConnectionFactory two) {
			return new RedisStore(two, "own", null);
		}

	}

	record Calls(List<String> names) {
	}

	record Change(long orderVersion) {
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

		@Bean
		LowkiqClient ownClient() {
			return mock(LowkiqClient.class);
		}

		@Bean
		ErrorFormatter ownErrorFormatter() {
			return Throwable::toString;
		}

		@Bean
		PayloadCodec ownCodec() {
			return mock(PayloadCodec.class);
		}

		@Bean
		ShardSplitter ownSplitter() {
			return mock(ShardSplitter.class);
		}

		@Bean
		ShardScheduler ownScheduler() {
			return (due, last) -> due.get(0);
		}

		@Bean
		PerformContext ownPerformContext() {
			return mock(PerformContext.class);
		}

		@Bean
		WorkerRegistry ownRegistry() {
			return new WorkerRegistry(List.of());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Customizers {

		@Bean
		Calls calls() {
			return new Calls(new ArrayList<>());
		}

		@Bean
		@Order(2)
		LowkiqServerCustomizer second(Calls calls) {
			return (builder) -> {
				calls.names().add("second");
				builder.node("second");
			};
		}

		@Bean
		@Order(1)
		LowkiqServerCustomizer first(Calls calls) {
			return (builder) -> {
				calls.names().add("first");
				builder.node("first");
			};
		}

	}

}
