package io.lowkiq.autoconfigure;

import java.time.Duration;
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
		LowkiqProperties.Server server = new LowkiqProperties().getServer();
		assertThat(new ServerSettings(server.getThreads(), server.getPollInterval(), server.getLeaseDuration(),
				server.getFetchAhead(), server.isInterruptOnLeaseLoss()))
			.isEqualTo(ServerSettings.DEFAULTS);
	}

	@Test
	void bindsEveryProperty() {
		LowkiqProperties properties = new Binder(new MapConfigurationPropertySource(Map.ofEntries(
				Map.entry("lowkiq.enabled", "false"), Map.entry("lowkiq.key-prefix", "mine"),
				Map.entry("lowkiq.server.enabled", "false"), Map.entry("lowkiq.server.threads", "7"),
				Map.entry("lowkiq.server.virtual-threads", "true"), Map.entry("lowkiq.server.poll-interval", "2s"),
				Map.entry("lowkiq.server.scheduler", "weighted"), Map.entry("lowkiq.server.splitter", "by-node"),
				Map.entry("lowkiq.server.node-count", "3"), Map.entry("lowkiq.server.node-number", "2"),
				Map.entry("lowkiq.server.lease-duration", "20s"), Map.entry("lowkiq.server.shutdown-timeout", "10s"),
				Map.entry("lowkiq.server.fetch-ahead", "8"), Map.entry("lowkiq.server.interrupt-on-lease-loss", "true"),
				Map.entry("lowkiq.client.transactional", "after-commit"),
				Map.entry("lowkiq.client.wait-for-replicas", "2"), Map.entry("lowkiq.client.wait-timeout", "3s"),
				Map.entry("lowkiq.workers.orders.shards", "9"),
				Map.entry("lowkiq.workers.orders.shard-concurrency", "4"), Map.entry("lowkiq.metrics.enabled", "false"),
				Map.entry("lowkiq.metrics.cache", "1m"))))
			.bind("lowkiq", LowkiqProperties.class)
			.get();
		assertThat(properties.isEnabled()).isFalse();
		assertThat(properties.getKeyPrefix()).isEqualTo("mine");
		assertThat(properties.getServer()).usingRecursiveComparison().isEqualTo(expectedServer());
		assertThat(properties.getClient().getTransactional()).isEqualTo(TransactionMode.AFTER_COMMIT);
		assertThat(properties.getClient().getWaitForReplicas()).isEqualTo(2);
		assertThat(properties.getClient().getWaitTimeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(properties.getWorkers()).containsOnlyKeys("orders");
		assertThat(properties.getWorkers().get("orders").getShards()).isEqualTo(9);
		assertThat(properties.getWorkers().get("orders").getShardConcurrency()).isEqualTo(4);
		assertThat(properties.getMetrics().isEnabled()).isFalse();
		assertThat(properties.getMetrics().getCache()).isEqualTo(Duration.ofMinutes(1));
	}

	private static LowkiqProperties.Server expectedServer() {
		LowkiqProperties.Server server = new LowkiqProperties.Server();
		server.setEnabled(false);
		server.setThreads(7);
		server.setVirtualThreads(true);
		server.setPollInterval(Duration.ofSeconds(2));
		server.setScheduler(LowkiqProperties.Scheduler.WEIGHTED);
		server.setSplitter(LowkiqProperties.Splitter.BY_NODE);
		server.setNodeCount(3);
		server.setNodeNumber(2);
		server.setLeaseDuration(Duration.ofSeconds(20));
		server.setShutdownTimeout(Duration.ofSeconds(10));
		server.setFetchAhead(8);
		server.setInterruptOnLeaseLoss(true);
		return server;
	}

}
