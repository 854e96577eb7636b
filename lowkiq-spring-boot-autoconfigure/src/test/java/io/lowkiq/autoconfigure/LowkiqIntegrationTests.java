package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.StoreException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.health.LowkiqHealthContributorAutoConfiguration;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class LowkiqIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void performsWhatIsEnqueued() {
		shared().withBean(GatedWorker.class).run((context) -> {
			LowkiqClient client = context.getBean(LowkiqClient.class);
			client.enqueue(GatedWorker.class, "42", "paid");
			client.enqueue("gated", "43", "sent");
			GatedWorker worker = context.getBean(GatedWorker.class);
			await().atMost(LONG)
				.untilAsserted(() -> assertThat(worker.performed).containsExactlyInAnyOrder("42=paid", "43=sent"));
		});
	}

	@Test
	void performsByCglibProxiedWorkers() {
		shared().withUserConfiguration(Transactions.class).withBean(ProxiedWorker.class).run((context) -> {
			assertThat(org.springframework.aop.support.AopUtils.isCglibProxy(context.getBean(ProxiedWorker.class)))
				.isTrue();
			context.getBean(LowkiqClient.class).enqueue(ProxiedWorker.class, "42", "paid");
			await().atMost(LONG)
				.untilAsserted(() -> assertThat(context.getBean(Transactions.class).seen)
					.containsExactly("42 in a transaction with a token"));
		});
	}

	@Test
	void performsByJdkProxiedWorkers() {
		shared().withUserConfiguration(Transactions.class)
			.withPropertyValues("proxies=jdk")
			.withUserConfiguration(JdkTransactions.class)
			.withBean(ProxiedWorker.class)
			.run((context) -> {
				context.getBean(LowkiqClient.class).enqueue(ProxiedWorker.class, "42", "paid");
				await().atMost(LONG)
					.untilAsserted(() -> assertThat(context.getBean(Transactions.class).seen)
						.containsExactly("42 in a transaction with a token"));
			});
	}

	@Test
	void enqueuesAfterTheCommit() {
		shared().withUserConfiguration(Transactions.class)
			.withBean(GatedWorker.class)
			.withPropertyValues("lowkiq.client.transactional=after-commit", "lowkiq.metrics.cache=0s")
			.run((context) -> {
				LowkiqClient client = context.getBean(LowkiqClient.class);
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				GatedWorker worker = context.getBean(GatedWorker.class);
				transaction.executeWithoutResult((status) -> {
					client.enqueue(GatedWorker.class, "42", "rolled back");
					status.setRollbackOnly();
				});
				transaction.executeWithoutResult((status) -> {
					client.enqueue(GatedWorker.class, "42", "committed");
					assertThat(context.getBean(QueueStatistics.class)
						.snapshot()
						.sum((counts) -> counts.queued() + counts.busy() + counts.processed())).isZero();
				});
				await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=committed"));
			});
	}

	@Test
	void tellsThatNoReplicaConfirmedAndPerformsTheJobNevertheless() {
		shared().withBean(GatedWorker.class)
			.withPropertyValues("lowkiq.client.wait-for-replicas=99", "lowkiq.client.wait-timeout=50ms")
			.run((context) -> {
				assertThatExceptionOfType(UnconfirmedEnqueueException.class)
					.isThrownBy(() -> context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "written"));
				GatedWorker worker = context.getBean(GatedWorker.class);
				await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=written"));
			});
	}

	@Test
	void failsFastWithoutRedisIfThatIsWanted() {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			redis.stop();
			for (String server : List.of("true", "false")) {
				on(redis.url())
					.withPropertyValues("lowkiq.fail-fast=true", "spring.data.redis.connect-timeout=1s",
							"spring.data.redis.timeout=2s", "lowkiq.server.enabled=" + server)
					.withBean(GatedWorker.class)
					.run((context) -> assertThat(context).getFailure()
						.isInstanceOf(LowkiqConfigurationException.class)
						.hasMessageContaining("lowkiq.fail-fast is set"));
			}
			redis.restart();
			on(redis.url()).withPropertyValues("lowkiq.fail-fast=true")
				.withBean(GatedWorker.class)
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void enqueueAfterTheEndOfTheContextSaysSo() {
		AtomicReference<LowkiqClient> client = new AtomicReference<>();
		shared().withBean(GatedWorker.class).run((context) -> client.set(context.getBean(LowkiqClient.class)));
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> client.get().enqueue("gated", "42", "too late"))
			.withMessageContaining("the application is shutting down");
	}

	@Test
	void startsWithoutRedisAndGoesOnWhenItComes() {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			redis.stop();
			on(redis.url()).withConfiguration(AutoConfigurations.of(LowkiqHealthContributorAutoConfiguration.class))
				.withPropertyValues("spring.data.redis.connect-timeout=1s", "spring.data.redis.timeout=2s")
				.withBean(GatedWorker.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					HealthIndicator health = context.getBean("lowkiqHealthIndicator", HealthIndicator.class);
					await().atMost(LONG).untilAsserted(() -> assertThat(status(health)).isEqualTo(Status.DOWN));
					redis.restart();
					await().atMost(LONG).untilAsserted(() -> assertThat(status(health)).isEqualTo(Status.UP));
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
					GatedWorker worker = context.getBean(GatedWorker.class);
					await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
				});
		}
	}

	@Test
	void closingTheContextFinishesTheRunningJobBeforeTheConnectionsGo() {
		String prefix = TestRedis.uniquePrefix();
		shared().withPropertyValues("lowkiq.key-prefix=" + prefix).withBean(GatedWorker.class).run((context) -> {
			GatedWorker worker = context.getBean(GatedWorker.class);
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "slow", "paid");
			assertThat(worker.entered.await(30, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<Void> closed = CompletableFuture.runAsync(context.getSourceApplicationContext()::close);
			assertThat(closed).isNotDone();
			worker.gate.countDown();
			closed.get(30, TimeUnit.SECONDS);
			assertThat(worker.performed).containsExactly("slow=paid");
		});
		shared().withPropertyValues("lowkiq.key-prefix=" + prefix, "lowkiq.server.enabled=false")
			.withBean(GatedWorker.class)
			.run((context) -> {
				QueueStatistics.QueueCounts counts = context.getBean(QueueStatistics.class)
					.snapshot()
					.of("gated")
					.orElseThrow();
				assertThat(counts.processed()).isEqualTo(1);
				assertThat(counts.busy() + counts.queued()).isZero();
				assertThat(counts.unowned()).isEqualTo(counts.shards());
			});
	}

	@Test
	void theLifecycleRestartsOnTheSameInstance() {
		shared().withBean(GatedWorker.class).run((context) -> {
			context.getSourceApplicationContext().stop();
			context.getSourceApplicationContext().start();
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
			GatedWorker worker = context.getBean(GatedWorker.class);
			await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
		});
	}

	@Test
	void failsOnAnotherNumberOfShards() {
		String prefix = TestRedis.uniquePrefix();
		shared().withPropertyValues("lowkiq.key-prefix=" + prefix)
			.withBean(GatedWorker.class)
			.run((context) -> assertThat(context).hasNotFailed());
		shared().withPropertyValues("lowkiq.key-prefix=" + prefix, "lowkiq.workers.gated.shards=7")
			.withBean(GatedWorker.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(io.lowkiq.LayoutMismatchException.class));
	}

	@Test
	void warnsWhenRedisMayEvictJobs(CapturedOutput output) {
		try (RedisProcess redis = TestRedis.startPrivate("--maxmemory-policy", "allkeys-lru")) {
			on(redis.url()).withBean(GatedWorker.class)
				.run((context) -> await().atMost(LONG)
					.untilAsserted(
							() -> assertThat(output).contains("The maxmemory-policy of Redis is 'allkeys-lru'")));
		}
	}

	private static Status status(HealthIndicator health) {
		return health.health().getStatus();
	}

	private static ApplicationContextRunner shared() {
		return on(TestRedis.shared().url());
	}

	private static ApplicationContextRunner on(String url) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
					LowkiqServerAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.url=" + url, "lowkiq.key-prefix=" + TestRedis.uniquePrefix());
	}

	@LowkiqWorker(queue = "proxied")
	static class ProxiedWorker implements Worker<String> {

		private final Transactions transactions;

		private final PerformContext performContext;

		ProxiedWorker(Transactions transactions, PerformContext performContext) {
			this.transactions = transactions;
			this.performContext = performContext;
		}

		@Override
		@Transactional
		public void perform(String id, List<String> payloads) {
			this.transactions.seen.add("%s in %s transaction with %s token".formatted(id,
					TransactionSynchronizationManager.isActualTransactionActive() ? "a" : "no",
					(this.performContext.fencingToken() > 0) ? "a" : "no"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	@org.springframework.boot.autoconfigure.condition.ConditionalOnProperty(name = "proxies", havingValue = "cglib",
			matchIfMissing = true)
	static class CglibTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class JdkTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@org.springframework.context.annotation.Import(CglibTransactions.class)
	static class Transactions {

		final List<String> seen = new CopyOnWriteArrayList<>();

		@Bean
		PlatformTransactionManager transactionManager() {
			return new TransactionsOfNothing();
		}

	}

	private static final class TransactionsOfNothing extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, org.springframework.transaction.TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
