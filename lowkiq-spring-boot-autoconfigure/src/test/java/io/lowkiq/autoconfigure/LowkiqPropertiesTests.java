package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import io.lowkiq.TransactionMode;
import io.lowkiq.engine.ServerSettings;

import static org.assertj.core.api.Assertions.assertThat;

class LowkiqPropertiesTests {

	@Test
	void theDefaultsAreThoseOfTheServer() {
		LowkiqProperties.Server server = bind(Map.of()).server();
		assertThat(new ServerSettings(server.threads(), server.pollInterval(), server.leaseDuration(),
				server.fetchAhead(), server.interruptOnLeaseLoss()))
			.isEqualTo(ServerSettings.DEFAULTS);
	}

	@Test
	void bindsEveryProperty() {
		LowkiqProperties properties = bind(Map.ofEntries(Map.entry("lowkiq.enabled", "false"),
				Map.entry("lowkiq.key-prefix", "mine"), Map.entry("lowkiq.server.enabled", "false"),
				Map.entry("lowkiq.server.threads", "7"), Map.entry("lowkiq.server.virtual-threads", "true"),
				Map.entry("lowkiq.server.poll-interval", "2s"), Map.entry("lowkiq.server.scheduler", "weighted"),
				Map.entry("lowkiq.server.splitter", "by-node"), Map.entry("lowkiq.server.node-count", "3"),
				Map.entry("lowkiq.server.node-number", "2"), Map.entry("lowkiq.server.lease-duration", "20s"),
				Map.entry("lowkiq.server.shutdown-timeout", "10s"), Map.entry("lowkiq.server.fetch-ahead", "8"),
				Map.entry("lowkiq.server.interrupt-on-lease-loss", "true"),
				Map.entry("lowkiq.client.transactional", "after-commit"),
				Map.entry("lowkiq.client.wait-for-replicas", "2"), Map.entry("lowkiq.client.wait-timeout", "3s"),
				Map.entry("lowkiq.workers.orders.shards", "9"),
				Map.entry("lowkiq.workers.orders.shard-concurrency", "4"), Map.entry("lowkiq.metrics.enabled", "false"),
				Map.entry("lowkiq.metrics.cache", "1m"), Map.entry("lowkiq.metrics.groups", "5")));
		assertThat(properties.enabled()).isFalse();
		assertThat(properties.keyPrefix()).isEqualTo("mine");
		assertThat(properties.server()).isEqualTo(expectedServer());
		assertThat(properties.client().transactional()).isEqualTo(TransactionMode.AFTER_COMMIT);
		assertThat(properties.client().waitForReplicas()).isEqualTo(2);
		assertThat(properties.client().waitTimeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(properties.workers()).containsOnlyKeys("orders");
		assertThat(properties.workers().get("orders").shards()).isEqualTo(9);
		assertThat(properties.workers().get("orders").shardConcurrency()).isEqualTo(4);
		assertThat(properties.metrics().enabled()).isFalse();
		assertThat(properties.metrics().cache()).isEqualTo(Duration.ofMinutes(1));
		assertThat(properties.metrics().groups()).isEqualTo(5);
	}

	@Test
	void whatIsNotSetHasItsDefault() {
		LowkiqProperties properties = bind(Map.of());
		assertThat(properties).isEqualTo(bind(Map.of("lowkiq.other", "1")));
		assertThat(properties.enabled()).isTrue();
		assertThat(properties.server().queues()).isEqualTo(new LowkiqProperties.Queues(List.of("*"), List.of()));
		assertThat(properties.server().shutdownTimeout()).isEqualTo(Duration.ofSeconds(25));
		assertThat(properties.workers()).isEmpty();
		assertThat(properties.workerDefaults().retry().isSet()).isFalse();
		assertThat(properties.metrics()).isEqualTo(new LowkiqProperties.Metrics(true, Duration.ofSeconds(5), 20));
		assertThat(properties.tracing()).isEqualTo(new LowkiqProperties.Tracing(32, false));
	}

	@Test
	void anEmptyListIsNotTheDefault() {
		assertThat(bind(Map.of("lowkiq.server.queues.include", "")).server().queues().include()).isEmpty();
	}

	private static LowkiqProperties.Server expectedServer() {
		return new LowkiqProperties.Server(new LowkiqProperties.Queues(List.of("*"), List.of()), false, 7, true,
				Duration.ofSeconds(2), LowkiqProperties.Scheduler.WEIGHTED, LowkiqProperties.Splitter.BY_NODE, 3, 2,
				Duration.ofSeconds(20), Duration.ofSeconds(10), 8, true);
	}

	/** Binds properties as an application does. */
	static LowkiqProperties bind(Map<String, ?> properties) {
		return new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("lowkiq",
				LowkiqProperties.class);
	}

}
