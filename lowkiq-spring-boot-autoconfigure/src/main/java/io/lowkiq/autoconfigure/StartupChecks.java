package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.ClassUtils;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.StoreException;
import io.lowkiq.TransactionMode;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.LowkiqProperties.Splitter;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.engine.schedule.SeqShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.redis.RedisStore;

/** The checks at start: a condition, and the sentence that stops it or is logged. */
class StartupChecks implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(StartupChecks.class);

	private static final String REACTIVE = "org.springframework.transaction.ReactiveTransactionManager";

	private final ApplicationContext context;

	private final LowkiqProperties properties;

	private final Supplier<Set<Thread>> threads;

	/** Checks; the threads are the platform threads of the JVM. */
	StartupChecks(ApplicationContext context, LowkiqProperties properties, Supplier<Set<Thread>> threads) {
		this.context = context;
		this.properties = properties;
		this.threads = threads;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.properties.failFast()) {
			failOnProblem();
		}
		PayloadCodec codec = this.context.getBean(PayloadCodec.class);
		this.context.getBean(WorkerRegistry.class).all().forEach((worker) -> failOnUnreadable(worker, codec));
		warnOfUseless();
		BackgroundLoop.warnOnce(this.context.getBeanProvider(BackgroundLoop.Owner.class)
			.orderedStream()
			.map(BackgroundLoop.Owner::loop)
			.toList());
		TransactionMode mode = this.properties.client().transactional();
		if (mode != TransactionMode.OFF && ClassUtils.isPresent(REACTIVE, this.context.getClassLoader())) {
			warnOfReactiveTransactions(mode);
		}
	}

	private void failOnProblem() {
		String problem = this.context.getBean(ServedWorkers.class).serverProblem();
		if (problem != null) {
			throw new LowkiqConfigurationException(problem + ", and lowkiq.fail-fast is set",
					"Correct include and exclude, or set lowkiq.server.enabled=false on a node that only enqueues");
		}
		try {
			this.context.getBean(RedisStore.class).queues().all();
		}
		catch (StoreException ex) {
			throw new LowkiqConfigurationException(
					"The store of the jobs doesn't answer, and lowkiq.fail-fast is set: %s".formatted(ex.getMessage()),
					"Start Redis, or correct its address. Without lowkiq.fail-fast, the application starts and waits for Redis",
					ex);
		}
	}

	private static void failOnUnreadable(RegisteredWorker worker, PayloadCodec codec) {
		try {
			worker.codecOr(codec).check(worker.payloadType());
		}
		catch (PayloadException ex) {
			throw new LowkiqConfigurationException(
					"Payloads of queue '%s' could be enqueued, but its worker, %s, could not read them: %s"
						.formatted(worker.queue(), worker.workerClass().getName(), ex.getMessage()),
					"Make the payload type a record or a class with a constructor that Jackson finds, and an inner class static. "
							+ "Give an interface or an abstract class @JsonTypeInfo and @JsonSubTypes. "
							+ "Or define a PayloadCodec bean",
					ex);
		}
	}

	/** Properties that need another one, which is not set. */
	private void warnOfUseless() {
		LowkiqProperties.Server server = this.properties.server();
		LowkiqProperties.Client client = this.properties.client();
		Map<String, String> useless = new TreeMap<>();
		if (server.splitter() != Splitter.BY_NODE) {
			useless.put("lowkiq.server.node", "lowkiq.server.splitter=by-node");
		}
		if (client.waitForReplicas() == 0) {
			useless.put("lowkiq.client.wait-timeout", "lowkiq.client.wait-for-replicas");
		}
		if (client.transactional() != TransactionMode.OUTBOX) {
			useless.put("lowkiq.outbox", "lowkiq.client.transactional=outbox");
		}
		Stream<String> settings = PropertyNames.in(this.context.getEnvironment())
			.flatMap((found) -> useless.entrySet()
				.stream()
				.filter((each) -> PropertyNames.uniform(found.name()).startsWith(PropertyNames.uniform(each.getKey())))
				.map((each) -> found.spelled() + " without " + each.getValue()));
		Stream<String> weights = isWeighted() ? Stream.empty()
				: this.context.getBean(WorkerRegistry.class)
					.all()
					.stream()
					.filter((worker) -> worker.settings().schedulerWeight() != RegisteredWorker.Settings.DEFAULTS
						.schedulerWeight())
					.map((worker) -> "lowkiq.workers.%s.scheduler-weight without lowkiq.server.scheduler=weighted"
						.formatted(worker.queue()));
		String all = Stream.concat(settings, weights).distinct().collect(Collectors.joining("; "));
		if (!all.isEmpty()) {
			logger.warn("These settings have no effect: {}. Set what they need, or remove them", all);
		}
	}

	/** A scheduler of the application may weigh, too. */
	private boolean isWeighted() {
		ShardScheduler scheduler = this.context.getBeanProvider(ShardScheduler.class).getIfUnique();
		return !(scheduler instanceof LagShardScheduler || scheduler instanceof SeqShardScheduler);
	}

	/** They are not bound to a thread. */
	private void warnOfReactiveTransactions(TransactionMode mode) {
		String[] managers = this.context.getBeanNamesForType(ReactiveTransactionManager.class, true, false);
		if (managers.length > 0) {
			logger
				.warn("lowkiq.client.transactional is '{}', but the transactions of {} are reactive: what is enqueued in one "
						+ "is enqueued at once, even if the transaction is rolled back. Enqueue after the transaction",
						mode.name().toLowerCase(Locale.ROOT).replace('_', '-'), String.join(", ", managers));
		}
	}

	@EventListener
	void ready(ApplicationReadyEvent event) {
		if (this.context.getBean(LowkiqServer.class).isRunning()
				&& this.threads.get().stream().noneMatch(StartupChecks::keepsAlive)) {
			logger.warn("No thread keeps this JVM alive, so the node ends when the main thread does. "
					+ "Virtual threads don't: set spring.main.keep-alive=true");
		}
	}

	/** Virtual threads are daemons. */
	private static boolean keepsAlive(Thread thread) {
		return thread != Thread.currentThread() && thread.isAlive() && !thread.isDaemon();
	}

	/** Lowkiq runs in the parent, which doesn't see them. */
	@EventListener
	void refreshed(ContextRefreshedEvent event) {
		if (event.getApplicationContext() == this.context
				|| !(event.getApplicationContext() instanceof ConfigurableApplicationContext child)
				|| child.getBeanFactory().getBeanNamesForType(WorkerRegistry.class, true, false).length > 0) {
			return;
		}
		List<WorkerBean> workers = new WorkerBeans(child.getBeanFactory()).find();
		if (!workers.isEmpty()) {
			logger.warn(
					"These workers are beans of the child context '{}', so Lowkiq, which runs in its parent, doesn't serve them: {}. "
							+ "Define them in the parent, or auto-configure Lowkiq in the child only",
					child.getDisplayName(),
					workers.stream().map(WorkerBean::describe).collect(Collectors.joining(", ")));
		}
	}

}
