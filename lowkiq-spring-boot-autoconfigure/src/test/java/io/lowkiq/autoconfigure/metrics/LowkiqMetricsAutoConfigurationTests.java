package io.lowkiq.autoconfigure.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.autoconfigure.LowkiqAutoConfiguration;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.metrics.LowkiqMetrics;
import io.lowkiq.store.inspection.QueueStatistics;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LowkiqMetricsAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, LowkiqAutoConfiguration.class,
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

	@Test
	void unknownQueuesMakeNoMetersOfTheirOwn() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			LowkiqClient client = context.getBean(LowkiqClient.class);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThatExceptionOfType(UnknownQueueException.class)
				.isThrownBy(() -> client.enqueue("tenant", "42", "x"));
			int meters = registry.getMeters().size();
			for (int i = 0; i < 100; i++) {
				String queue = "tenant-" + i;
				assertThatExceptionOfType(UnknownQueueException.class)
					.isThrownBy(() -> client.enqueue(queue, "42", "x"));
			}
			assertThat(registry.getMeters()).hasSize(meters);
			assertThat(registry.get("lowkiq.enqueue").tag("queue", "(unknown)").timer().count()).isEqualTo(101);
		});
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
