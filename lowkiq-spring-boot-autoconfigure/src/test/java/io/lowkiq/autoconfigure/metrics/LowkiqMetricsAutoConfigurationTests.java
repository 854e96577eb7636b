package io.lowkiq.autoconfigure.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationTextPublisher;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.observation.LowkiqObservationAutoConfiguration;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.metrics.LowkiqMetrics;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class LowkiqMetricsAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class,
				LowkiqMetricsAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	@Test
	void observesAndMeasures() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LowkiqMetrics.class).hasSingleBean(LowkiqServer.class);
			assertThat(context.getBean(LowkiqObserver.class)).isSameAs(context.getBean(LowkiqMetrics.class));
		});
	}

	@Test
	void measuresTheLengthOfQueues() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("lowkiq.metrics.cache=0s")
			.run((context) -> {
				context.getBean(RedisStore.class).queues().register("orders", 2);
				context.getBean(QueueStatistics.class).snapshot();
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.find("lowkiq.threads.busy").meter()).isNotNull();
			});
	}

	/** Those of observations, too. */
	private ApplicationContextRunner observed() {
		return this.runner
			.withConfiguration(
					AutoConfigurations.of(ObservationAutoConfiguration.class, LowkiqObservationAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new);
	}

	@Test
	void unknownQueuesMakeNoMetersOfTheirOwn() {
		observed().run((context) -> {
			LowkiqClient client = context.getBean(LowkiqClient.class);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThatExceptionOfType(UnknownQueueException.class)
				.isThrownBy(() -> client.enqueue("tenant", "42", "x"));
			List<Meter> meters = registry.getMeters();
			for (int i = 0; i < 3_000; i++) {
				String queue = "tenant-" + i;
				assertThatExceptionOfType(UnknownQueueException.class)
					.isThrownBy(() -> client.enqueue(queue, "42", "x"));
			}
			assertThat(registry.getMeters()).containsExactlyInAnyOrderElementsOf(meters);
			assertThat(registry.get("lowkiq.enqueue").tag("queue", "(unknown)").timer().count()).isEqualTo(3_001);
		});
	}

	@Test
	void oneTimerCountsEachEnqueueAndEachRun() {
		observed().withBean(Orders.class).withPropertyValues("lowkiq.server.enabled=true").run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			List<String> observed = new CopyOnWriteArrayList<>();
			context.getBean(ObservationRegistry.class)
				.observationConfig()
				.observationHandler(new ObservationTextPublisher(observed::add));
			context.getBean(LowkiqClient.class).enqueue(Orders.class, "42", "paid");
			await().until(() -> registry.find("lowkiq.perform").timer() != null);
			assertThat(registry.getMeters()).extracting((meter) -> meter.getId().getName())
				.filteredOn((name) -> name.contains("enqueue") || name.contains("perform"))
				.containsExactlyInAnyOrder("lowkiq.enqueue", "lowkiq.perform", "lowkiq.perform.payloads");
			assertThat(observed).anyMatch((event) -> event.contains("name='lowkiq.enqueue'"))
				.anyMatch((event) -> event.contains("name='lowkiq.perform'"));
		});
	}

	@LowkiqWorker("orders")
	static class Orders implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	@Test
	void canBeSwitchedOff() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("lowkiq.metrics.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LowkiqMetrics.class));
	}

	@Test
	void backsOffWithoutARegistry() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LowkiqMetrics.class));
	}

	@Test
	void backsOffWithoutMicrometer() {
		this.runner.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lowkiqMetrics"));
	}

}
