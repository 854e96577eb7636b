package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.function.SingletonSupplier;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.ErrorFormatter;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformContext;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.TransactionMode;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.ForeignQueues;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.UnservedQueues;
import io.lowkiq.autoconfigure.redis.EvictionPolicyCheck;
import io.lowkiq.autoconfigure.schedule.ScheduleAnnouncer;
import io.lowkiq.autoconfigure.schedule.StoreSchedules;
import io.lowkiq.autoconfigure.thread.BegunTransactions;
import io.lowkiq.autoconfigure.thread.SpringThreadStates;
import io.lowkiq.client.EnqueueTracing;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.perform.StackTraceErrorFormatter;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardSplitter;
import io.lowkiq.internal.DurationText;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.redis.RedisStore;

/**
 * Auto-configuration of the server. Whether it starts is decided when the context starts,
 * not by a condition, so that an application that was compiled ahead of time can still
 * choose. A bean of the application replaces the one of its type.
 */
@AutoConfiguration(after = LowkiqClientAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "lowkiq.enabled", matchIfMissing = true)
public final class LowkiqServerAutoConfiguration {

	@Bean
	ServedWorkers lowkiqServedWorkers(WorkerRegistry workers, LowkiqProperties properties) {
		return ServedWorkers.of(workers, properties.server());
	}

	@Bean
	@ConditionalOnMissingBean
	ErrorFormatter lowkiqErrorFormatter() {
		return new StackTraceErrorFormatter();
	}

	@Bean
	@ConditionalOnMissingBean
	QueueStatistics lowkiqQueueStatistics(RedisStore store, LowkiqProperties properties,
			ObjectProvider<WorkerRegistry> workers) {
		Duration maxAge = properties.metrics().cache();
		LowkiqConfigurationException.check(!maxAge.isNegative(), "lowkiq.metrics.cache", DurationText.of(maxAge),
				"not be negative");
		int groups = properties.metrics().groups();
		LowkiqConfigurationException.check(groups >= 0 && groups <= 100, "lowkiq.metrics.groups", groups,
				"be between 0 and 100");
		return new QueueStatistics(store, InstantSource.system(), maxAge, groups,
				(queue) -> workers.stream()
					.flatMap((registry) -> registry.ofQueue(queue).stream())
					.map((worker) -> worker.settings().groups().separator())
					.findFirst()
					.orElse(""));
	}

	@Bean
	@ConditionalOnMissingBean(PerformContext.class)
	ThreadPerformContext lowkiqPerformContext(ObjectProvider<WorkerRegistry> workers,
			ObjectProvider<PayloadCodec> codec, ObjectProvider<EnqueueInterceptor> interceptors,
			ObjectProvider<StoreEnqueuer> direct, ObjectProvider<EnqueueTracing> tracing) {
		// Made when a worker asks for it first: its parts may need this bean
		Supplier<ShardedLowkiqClient> client = SingletonSupplier.of(() -> new ShardedLowkiqClient(workers.getObject(),
				codec.getObject(), interceptors.orderedStream().toList(), direct.getObject(), Map.of(),
				TransactionMode.OFF, tracing.getIfAvailable(() -> EnqueueTracing.NONE)));
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
	ServerOptions lowkiqServerOptions(ServedWorkers workers, RedisStore store, StoreEnqueuer enqueuer,
			PayloadCodec codec, ErrorFormatter errorFormatter, ShardSplitter splitter, ShardScheduler scheduler,
			ObjectProvider<ThreadPerformContext> performContext, ObjectProvider<PerformInterceptor> interceptors,
			ObjectProvider<JobErrorHandler> errorHandlers, ObjectProvider<LowkiqObserver> observers,
			ObjectProvider<BegunTransactions> transactions, ObjectProvider<LowkiqServerCustomizer> customizers,
			LowkiqProperties properties, ApplicationContext context) {
		ServerOptions options = new ServerOptions(workers.registry(), store).codec(codec)
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
		performContext.ifUnique(options::performContext);
		ServerConfigurer.of(properties.server(), context.getEnvironment()).configure(options);
		customizers.orderedStream().forEach((customizer) -> customizer.customize(options));
		return options;
	}

	@Bean
	@ConditionalOnMissingBean
	LowkiqServer lowkiqServer(ServerOptions options) {
		return new LowkiqServer(options);
	}

	@Bean
	LowkiqServerLifecycle lowkiqServerLifecycle(LowkiqServer server, ServedWorkers served, RedisStore store,
			QueueWatch queueWatch, LowkiqProperties properties, ApplicationContext context) {
		return new LowkiqServerLifecycle(server, served, context,
				new LowkiqServerLifecycle.Settings(properties.server().enabled(),
						ServerConfigurer.shutdownTimeout(properties.server()), phaseTimeout(context.getEnvironment())),
				evictionPolicyCheck(store), queueWatch, new StartUpLog(served.registry(), store, properties.server(),
						ServerConfigurer.of(properties.server(), context.getEnvironment()).isVirtual()));
	}

	@Bean
	QueueWatch lowkiqQueueWatch(LowkiqServer server, RedisStore store, Environment environment) {
		ForeignQueues queues = new ForeignQueues(store);
		return new QueueWatch(new UnservedQueues(store)::find, store::stranded,
				() -> queues.of(application(environment)), () -> server.status().foreignQueues().keySet(),
				System::nanoTime);
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
			LowkiqConfigurationException.check(!maxAge.isNegative(), "lowkiq.morgue.max-age", DurationText.of(maxAge),
					"not be negative");
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

	/** The watch over transactions, where there are any. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ReactiveTransactionManager.class)
	static class TransactionConfiguration {

		@Bean
		static BegunTransactions lowkiqBegunTransactions() {
			return new BegunTransactions();
		}

	}

}
