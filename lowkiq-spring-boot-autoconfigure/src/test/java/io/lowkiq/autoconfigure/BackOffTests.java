package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import io.lowkiq.FailurePolicy;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.RetryPolicy;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.testing.MemoryStoreConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** How the time before a retry is configured. */
class BackOffTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withBean(OrderWorker.class)
		.withBean(PatientWorker.class);

	private static FailurePolicy failures(ApplicationContext context, String queue) {
		return context.getBean(WorkerRegistry.class).ofQueue(queue).orElseThrow().settings().failures();
	}

	private static RetryPolicy exponential(String initial, double multiplier, String most, String jitter) {
		return RetryPolicy.exponential(Duration.parse(initial), multiplier, Duration.parse(most),
				Duration.parse(jitter));
	}

	@Test
	void theGemsFormulaIsTheDefault() {
		this.runner
			.run((context) -> assertThat(failures(context, "orders").retryPolicy()).isEqualTo(RetryPolicy.standard()));
	}

	@Test
	void propertiesSetTheBackOffOfOneQueue() {
		this.runner
			.withPropertyValues("lowkiq.workers.orders.retry.initial-interval=2s",
					"lowkiq.workers.orders.retry.multiplier=1.5", "lowkiq.workers.orders.retry.max-interval=10m",
					"lowkiq.workers.orders.retry.jitter=500ms")
			.run((context) -> {
				assertThat(failures(context, "orders").retryPolicy())
					.isEqualTo(exponential("PT2S", 1.5, "PT10M", "PT0.5S"));
				assertThat(failures(context, "patient").retryPolicy()).isEqualTo(RetryPolicy.standard());
			});
	}

	@ParameterizedTest
	@CsvSource({ "LOWKIQ_WORKERS_ORDERS_RETRY_INITIALINTERVAL", "LOWKIQ_WORKERS_ORDERS_RETRY_INITIAL_INTERVAL" })
	void environmentVariablesSetTheBackOff(String variable) {
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", Map.of(variable, "3s"))))
			.withPropertyValues("lowkiq.workers.orders.retry.initial-interval=2s",
					"lowkiq.workers.orders.retry.multiplier=4")
			.run((context) -> assertThat(failures(context, "orders").retryPolicy())
				.isEqualTo(exponential("PT3S", 4, "PT1H", "PT0S")));
	}

	@Test
	void defaultsApplyToAllQueuesPropertyByProperty() {
		this.runner
			.withPropertyValues("lowkiq.worker-defaults.retry.initial-interval=5s",
					"lowkiq.worker-defaults.retry.max-interval=20m", "lowkiq.workers.orders.retry.initial-interval=7s")
			.run((context) -> {
				assertThat(failures(context, "orders").retryPolicy())
					.isEqualTo(exponential("PT7S", 2, "PT20M", "PT0S"));
				assertThat(failures(context, "patient").retryPolicy())
					.isEqualTo(exponential("PT5S", 2, "PT20M", "PT0S"));
			});
	}

	@Test
	void defaultsApplyWhereNeitherTheAnnotationNorThePropertiesOfTheQueueSayAnythingElse() {
		this.runner
			.withPropertyValues("lowkiq.worker-defaults.max-retry-count=7",
					"lowkiq.worker-defaults.perform-timeout=30s", "lowkiq.worker-defaults.unreadable-grace=1h",
					"lowkiq.worker-defaults.retries-exhausted=bury-all", "lowkiq.workers.orders.perform-timeout=40s")
			.run((context) -> {
				WorkerRegistry workers = context.getBean(WorkerRegistry.class);
				assertThat(workers.ofQueue("orders").orElseThrow().settings().maxRetryCount()).isEqualTo(7);
				assertThat(workers.ofQueue("patient").orElseThrow().settings().maxRetryCount()).isEqualTo(3);
				assertThat(failures(context, "orders")).satisfies((failures) -> {
					assertThat(failures.performTimeout()).isEqualTo(Duration.ofSeconds(40));
					assertThat(failures.unreadableGrace()).isEqualTo(Duration.ofHours(1));
					assertThat(failures.retriesExhausted()).isEqualTo(RetriesExhausted.BURY_ALL);
				});
				assertThat(failures(context, "patient")).satisfies((failures) -> {
					assertThat(failures.performTimeout()).isEqualTo(Duration.ofMinutes(2));
					assertThat(failures.retriesExhausted()).isEqualTo(RetriesExhausted.HOLD);
				});
			});
	}

	@Test
	void aBeanAppliesToTheQueuesWhoseBackOffIsNotSet() {
		RetryPolicy bean = (retryCount) -> Duration.ofSeconds(1);
		this.runner.withBean(RetryPolicy.class, () -> bean)
			.withPropertyValues("lowkiq.workers.orders.retry.multiplier=3")
			.run((context) -> {
				assertThat(failures(context, "patient").retryPolicy()).isSameAs(bean);
				assertThat(failures(context, "orders").retryPolicy())
					.isEqualTo(exponential("PT15S", 3, "PT1H", "PT0S"));
			});
	}

	@Test
	void aBeanAndDefaultsAreOneTooMany() {
		this.runner.withBean(RetryPolicy.class, () -> (retryCount) -> Duration.ofSeconds(1))
			.withPropertyValues("lowkiq.worker-defaults.retry.multiplier=3")
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("and lowkiq.worker-defaults.retry.* both set the back-off of all queues"));
	}

	@ParameterizedTest
	@CsvSource({ "lowkiq.workers.orders.retry.multiplier=0, multiplier is 0.0; it must be between 1 and 100",
			"lowkiq.worker-defaults.retry.max-interval=1s, max-interval is 1 s; it must not be shorter",
			"lowkiq.workers.orders.retry.jitter=1m, jitter is 1 min; it must be between 0 and initial-interval" })
	void aBadValueFailsTheStartBeforeAnythingIsWritten(String property, String message) {
		RedisStore store = InMemoryRedis.newStore(InstantSource.system());
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withBean(RedisStore.class, () -> store)
			.withBean(OrderWorker.class)
			.withPropertyValues(property)
			.run((context) -> {
				assertThat(context.getStartupFailure())
					.hasStackTraceContaining("The back-off of queue 'orders' is not valid: " + message);
				assertThat(store.queues().all()).isEmpty();
			});
	}

	@LowkiqWorker("orders")
	static class OrderWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	@LowkiqWorker(queue = "patient", maxRetryCount = 3, retriesExhausted = RetriesExhausted.HOLD, performTimeout = "2m")
	static class PatientWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

}
