package io.lowkiq.autoconfigure;

import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

import tools.jackson.databind.json.JsonMapper;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RetryPolicy;
import io.lowkiq.TransactionMode;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.transaction.AfterCommitEnqueuer;
import io.lowkiq.client.EnqueueTracing;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;

/**
 * Auto-configuration of the client, and of the workers that are found. A bean of the
 * application replaces the one of its type.
 */
@AutoConfiguration(after = LowkiqRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "lowkiq.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LowkiqProperties.class)
@ImportRuntimeHints(ScriptRuntimeHints.class)
public final class LowkiqClientAutoConfiguration {

	/** The name of the bean that enqueues into the outbox. */
	public static final String OUTBOX = "lowkiqOutbox";

	/** The name of the bean, if there is one, by whose time schedules go. */
	public static final String CLOCK = "lowkiqClock";

	private static final String TRANSACTIONS = "org.springframework.transaction.support.TransactionSynchronizationManager";

	@Bean
	Schedules lowkiqSchedules(ConfigurableListableBeanFactory beanFactory,
			@Qualifier(CLOCK) ObjectProvider<InstantSource> clock) {
		return new Schedules(beanFactory, clock.getIfAvailable(InstantSource::system));
	}

	@Bean
	WorkerDiscovery lowkiqWorkerDiscovery(ConfigurableListableBeanFactory beanFactory, Environment environment,
			Schedules schedules, LowkiqProperties properties, ObjectProvider<RetryPolicy> retryPolicy) {
		return new WorkerDiscovery(beanFactory,
				new QueueSettings(ofWorkers(environment), properties.workerDefaults(), retryPolicy.getIfAvailable()),
				schedules);
	}

	private static QueueProperties<LowkiqProperties.Worker> ofWorkers(Environment environment) {
		return new QueueProperties<>(environment, "lowkiq.workers", LowkiqProperties.Worker.class);
	}

	@Bean
	UnknownProperties lowkiqUnknownProperties(ListableBeanFactory beans, Environment environment) {
		return new UnknownProperties(beans, environment, List.of(ofWorkers(environment), ofQueues(environment)));
	}

	private static QueueProperties<LowkiqProperties.Queue> ofQueues(Environment environment) {
		return new QueueProperties<>(environment, "lowkiq.queues", LowkiqProperties.Queue.class);
	}

	@Bean
	@ConditionalOnMissingBean
	WorkerRegistry lowkiqWorkerRegistry(WorkerDiscovery discovery) {
		return discovery.discover();
	}

	@Bean
	StartupChecks lowkiqStartupChecks(ApplicationContext context, LowkiqProperties properties) {
		return new StartupChecks(context, properties, () -> Thread.getAllStackTraces().keySet());
	}

	@Bean
	DeclaredQueues lowkiqDeclaredQueues(WorkerRegistry workers, RedisStore store,
			ObjectProvider<QueueDeclaration> declarations, LowkiqProperties properties, Environment environment) {
		return new DeclaredQueues(DeclaredQueues.merge(declarations.orderedStream(), ofQueues(environment), workers),
				workers, properties.server().enabled(), store.queues());
	}

	@Bean
	@ConditionalOnMissingBean
	StoreEnqueuer lowkiqStoreEnqueuer(WorkerRegistry workers, DeclaredQueues queues, RedisStore store,
			ObjectProvider<LowkiqObserver> observers) {
		return new StoreEnqueuer(workers, queues.declarations(), store.shards(), store.queues(),
				LowkiqObserver.guarded(observers.orderedStream().toList()));
	}

	@Bean
	AsyncEnqueues lowkiqAsyncEnqueues(StoreEnqueuer enqueuer) {
		return new AsyncEnqueues(enqueuer);
	}

	@Bean
	@ConditionalOnMissingBean(LowkiqClient.class)
	LowkiqClient lowkiqClient(WorkerRegistry workers, PayloadCodec codec,
			ObjectProvider<EnqueueInterceptor> interceptors, StoreEnqueuer direct,
			@Qualifier(OUTBOX) ObjectProvider<Enqueuer> outbox, ObjectProvider<EnqueueTracing> tracing,
			LowkiqProperties properties, ApplicationContext context) {
		Map<TransactionMode, Enqueuer> enqueuers = new EnumMap<>(TransactionMode.class);
		if (ClassUtils.isPresent(TRANSACTIONS, context.getClassLoader())) {
			enqueuers.put(TransactionMode.AFTER_COMMIT, new AfterCommitEnqueuer(direct));
		}
		outbox.ifAvailable((enqueuer) -> enqueuers.put(TransactionMode.OUTBOX, enqueuer));
		TransactionMode mode = properties.client().transactional();
		if (mode == TransactionMode.AFTER_COMMIT && !enqueuers.containsKey(mode)) {
			throw new LowkiqConfigurationException(
					"lowkiq.client.transactional is 'after-commit', but there are no transactions on the class path",
					"Add org.springframework:spring-tx to the dependencies, or remove the property");
		}
		if (mode == TransactionMode.OUTBOX && !enqueuers.containsKey(mode)) {
			if (AotDetector.useGeneratedArtifacts()) {
				throw new LowkiqConfigurationException(
						"lowkiq.client.transactional is 'outbox', but it was not when the application was compiled ahead of time, which fixes it",
						"Set the property where the application is built, too, and build it again");
			}
			throw new LowkiqConfigurationException(
					"lowkiq.client.transactional is 'outbox', but the module with the outbox is not on the class path",
					"Add io.lowkiq:lowkiq-outbox to the dependencies, or change the property");
		}
		return new ShardedLowkiqClient(workers, codec, interceptors.orderedStream().toList(), direct, enqueuers, mode,
				tracing.getIfAvailable(() -> EnqueueTracing.NONE));
	}

	/**
	 * How payloads are written, where there is Jackson. The mapper is Lowkiq's own: what
	 * the application changes for its REST API must not change jobs that are queued.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JsonMapper.class)
	static class JacksonConfiguration {

		@Bean
		@ConditionalOnMissingBean
		PayloadCodec lowkiqPayloadCodec(ObjectProvider<LowkiqJsonMapperBuilderCustomizer> customizers,
				ApplicationContext context) {
			JsonMapper.Builder builder = JsonMapper.builder().findAndAddModules(context.getClassLoader());
			customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
			return new JacksonPayloadCodec(builder.build());
		}

	}

}
