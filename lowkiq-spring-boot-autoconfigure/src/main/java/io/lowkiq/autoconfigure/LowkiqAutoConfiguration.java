package io.lowkiq.autoconfigure;

import java.util.function.Supplier;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import io.lettuce.core.RedisClient;
import tools.jackson.databind.json.JsonMapper;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.ErrorFormatter;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformContext;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RetryPolicy;
import io.lowkiq.TransactionMode;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.ForeignQueues;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.UnservedQueues;
import io.lowkiq.autoconfigure.redis.EvictionPolicyCheck;
import io.lowkiq.autoconfigure.redis.JobsRedis;
import io.lowkiq.autoconfigure.schedule.ScheduleAnnouncer;
import io.lowkiq.autoconfigure.schedule.StoreSchedules;
import io.lowkiq.autoconfigure.thread.BegunTransactions;
import io.lowkiq.autoconfigure.thread.SpringThreadStates;
import io.lowkiq.autoconfigure.transaction.AfterCommitEnqueuer;
import io.lowkiq.client.EnqueueTracing;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.perform.StackTraceErrorFormatter;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardSplitter;
import io.lowkiq.internal.DurationText;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.redis.LowkiqRedis;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ReplicaWait;

/**
 * Auto-configuration of the client, the server and the storage on Redis. A bean of the
 * application replaces the one of its type.
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "lowkiq.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LowkiqProperties.class)
@ImportRuntimeHints(ScriptRuntimeHints.class)
public final class LowkiqAutoConfiguration {

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
		return new WorkerDiscovery(beanFactory, new QueueSettings(ofWorkers(environment), properties.workerDefaults(),
				retryPolicy.getIfAvailable(), beanFactory::resolveEmbeddedValue), schedules);
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
	ServedWorkers lowkiqServedWorkers(WorkerRegistry workers, LowkiqProperties properties) {
		return ServedWorkers.of(workers, properties.server());
	}

	@Bean
	StartupChecks lowkiqStartupChecks(ApplicationContext context, LowkiqProperties properties) {
		return new StartupChecks(context, properties, () -> Thread.getAllStackTraces().keySet());
	}

	@Bean
	@ConditionalOnMissingBean
	ErrorFormatter lowkiqErrorFormatter() {
		return new StackTraceErrorFormatter();
	}

	@Bean
	@ConditionalOnMissingBean
	QueueStatistics lowkiqQueueStatistics(RedisStore store, LowkiqProperties properties) {
		Duration maxAge = properties.metrics().cache();
		LowkiqConfigurationException.check(!maxAge.isNegative(), "lowkiq.metrics.cache", DurationText.of(maxAge),
				"not be negative");
		int groups = properties.metrics().groups();
		LowkiqConfigurationException.check(groups >= 0 && groups <= 100, "lowkiq.metrics.groups", groups,
				"be between 0 and 100");
		return new QueueStatistics(store, InstantSource.system(), maxAge, groups);
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

	/** The storage on Redis, unless the application brings another one. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(RedisStore.class)
	static class RedisConfiguration {

		@Bean
		RedisStore lowkiqStore(@LowkiqRedis ObjectProvider<RedisConnectionFactory> own,
				ObjectProvider<RedisConnectionFactory> all, ObjectProvider<JobsRedis> jobsRedis,
				ListableBeanFactory beans, LowkiqProperties properties) {
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

		/**
		 * Chooses the qualified connection factory; else that of
		 * {@code lowkiq.redis.url}; else the only one, or the primary one.
		 */
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

	/** The watch over transactions, where there are any. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ReactiveTransactionManager.class)
	static class TransactionConfiguration {

		@Bean
		static BegunTransactions lowkiqBegunTransactions() {
			return new BegunTransactions();
		}

	}

	/**
	 * The server. Whether it starts is decided when the context starts, not by a
	 * condition, so that an application that was compiled ahead of time can still choose.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ServerConfiguration {

		@Bean
		@ConditionalOnMissingBean(PerformContext.class)
		ThreadPerformContext lowkiqPerformContext(ObjectProvider<WorkerRegistry> workers,
				ObjectProvider<PayloadCodec> codec, ObjectProvider<EnqueueInterceptor> interceptors,
				ObjectProvider<StoreEnqueuer> direct, ObjectProvider<EnqueueTracing> tracing) {
			// Made when a worker asks for it first: its parts may need this bean
			Supplier<ShardedLowkiqClient> client = SingletonSupplier
				.of(() -> new ShardedLowkiqClient(workers.getObject(), codec.getObject(),
						interceptors.orderedStream().toList(), direct.getObject(), Map.of(), TransactionMode.OFF,
						tracing.getIfAvailable(() -> EnqueueTracing.NONE)));
			return new ThreadPerformContext((keep) -> client.get().keeping(keep));
		}

		@Bean
		@ConditionalOnMissingBean
		ShardSplitter lowkiqShardSplitter(LowkiqProperties properties) {
			return ServerConfigurer.splitter(properties.server());
		}

		@Bean
		@ConditionalOnMissingBean
		ShardScheduler lowkiqShardScheduler(LowkiqProperties properties, WorkerRegistry workers) {
			return ServerConfigurer.scheduler(properties.server(), workers);
		}

		@Bean
		@ConditionalOnMissingBean
		LowkiqServer lowkiqServer(ServedWorkers workers, RedisStore store, StoreEnqueuer enqueuer, PayloadCodec codec,
				ErrorFormatter errorFormatter, ShardSplitter splitter, ShardScheduler scheduler,
				ObjectProvider<ThreadPerformContext> performContext, ObjectProvider<PerformInterceptor> interceptors,
				ObjectProvider<JobErrorHandler> errorHandlers, ObjectProvider<LowkiqObserver> observers,
				ObjectProvider<BegunTransactions> transactions, ObjectProvider<LowkiqServerCustomizer> customizers,
				LowkiqProperties properties, ApplicationContext context) {
			LowkiqServer.Builder builder = LowkiqServer.builder(workers.registry(), store)
				.codec(codec)
				.errorFormatter(errorFormatter)
				.splitter(splitter)
				.scheduler(scheduler)
				.interceptors(interceptors.orderedStream().toList())
				.errorHandlers(errorHandlers.orderedStream().toList())
				.observer(LowkiqObserver.guarded(observers.orderedStream().toList()))
				.application(application(context.getEnvironment()))
				.foreignQueues(enqueuer::foreignQueues)
				.threadStates(SpringThreadStates.of(context.getClassLoader(), transactions.getIfAvailable()))
				.events(context::publishEvent);
			performContext.ifUnique(builder::performContext);
			ServerConfigurer.of(properties.server(), context.getEnvironment()).configure(builder);
			customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
			return builder.build();
		}

		@Bean
		LowkiqServerLifecycle lowkiqServerLifecycle(LowkiqServer server, ServedWorkers served, RedisStore store,
				QueueWatch queueWatch, LowkiqProperties properties, ApplicationContext context) {
			return new LowkiqServerLifecycle(server, served, context,
					new LowkiqServerLifecycle.Settings(properties.server().enabled(),
							ServerConfigurer.shutdownTimeout(properties.server()),
							phaseTimeout(context.getEnvironment())),
					evictionPolicyCheck(store), queueWatch,
					new StartUpLog(served.registry(), store, properties.server(),
							ServerConfigurer.of(properties.server(), context.getEnvironment()).isVirtual()));
		}

		@Bean
		QueueWatch lowkiqQueueWatch(LowkiqServer server, RedisStore store, Environment environment) {
			ForeignQueues queues = new ForeignQueues(store);
			return new QueueWatch(new UnservedQueues(store)::find, () -> queues.of(application(environment)),
					() -> server.status().foreignQueues().keySet(), System::nanoTime);
		}

		private static String application(Environment environment) {
			return environment.getProperty("spring.application.name", "");
		}

		private static @Nullable EvictionPolicyCheck evictionPolicyCheck(RedisStore store) {
			RedisConnectionFactory connections = store.connectionFactory();
			return (connections != null) ? new EvictionPolicyCheck(connections) : null;
		}

		@Bean
		ScheduleAnnouncer lowkiqScheduleAnnouncer(Schedules schedules, LowkiqClient client, RedisStore store,
				ObjectProvider<LowkiqAdmin> admin) {
			return new ScheduleAnnouncer(schedules.declared(), client, store, admin);
		}

		@Bean
		StoreSchedules lowkiqScheduleControl(Schedules schedules, WorkerRegistry workers, LowkiqClient client,
				RedisStore store, ScheduleAnnouncer announcer) {
			return new StoreSchedules(schedules.declared(), workers, client, store,
					() -> announcer.loop().status().problem());
		}

		@Bean
		MorgueRetention lowkiqMorgueRetention(LowkiqServer server, RedisStore store, LowkiqProperties properties) {
			LowkiqProperties.Morgue morgue = properties.morgue();
			Duration maxAge = morgue.maxAge();
			if (maxAge != null) {
				LowkiqConfigurationException.check(!maxAge.isNegative(), "lowkiq.morgue.max-age",
						DurationText.of(maxAge), "not be negative");
			}
			Integer maxJobs = morgue.maxJobs();
			if (maxJobs != null) {
				LowkiqConfigurationException.check(maxJobs >= 0, "lowkiq.morgue.max-jobs", maxJobs, "not be negative");
			}
			return new MorgueRetention(server, store, maxAge, maxJobs);
		}

		private static Duration phaseTimeout(Environment environment) {
			return Binder.get(environment)
				.bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
				.orElse(Duration.ofSeconds(30));
		}

	}

}
