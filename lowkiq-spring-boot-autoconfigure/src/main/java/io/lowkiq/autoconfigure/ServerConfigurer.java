package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;

import org.springframework.core.task.VirtualThreadTaskExecutor;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.schedule.ByNodeShardSplitter;
import io.lowkiq.engine.schedule.DefaultShardSplitter;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.schedule.SeqShardScheduler;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardSplitter;
import io.lowkiq.engine.schedule.WeightedShardScheduler;

/**
 * Turns {@code lowkiq.server.*} into the parts of a server.
 */
class ServerConfigurer {

	private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

	private final LowkiqProperties.Server properties;

	private final int javaVersion;

	ServerConfigurer(LowkiqProperties.Server properties) {
		this(properties, Runtime.version().feature());
	}

	ServerConfigurer(LowkiqProperties.Server properties, int javaVersion) {
		this.properties = properties;
		this.javaVersion = javaVersion;
	}

	void configure(LowkiqServer.Builder builder) {
		builder.settings(settings());
		if (this.properties.isVirtualThreads()) {
			builder.threadFactory(virtualThreads());
		}
	}

	Duration shutdownTimeout() {
		Duration timeout = this.properties.getShutdownTimeout();
		if (timeout.isNegative()) {
			throw new LowkiqConfigurationException(
					"lowkiq.server.shutdown-timeout is %s; it must not be negative".formatted(timeout),
					"Change the property");
		}
		return timeout;
	}

	ShardSplitter splitter() {
		return switch (this.properties.getSplitter()) {
			case DEFAULT -> new DefaultShardSplitter();
			case BY_NODE -> byNode();
		};
	}

	ShardScheduler scheduler(WorkerRegistry workers) {
		return switch (this.properties.getScheduler()) {
			case LAG -> new LagShardScheduler();
			case SEQ -> new SeqShardScheduler();
			case WEIGHTED -> new WeightedShardScheduler(
					(queue) -> workers.ofQueue(queue).map((worker) -> worker.settings().weight()).orElse(1));
		};
	}

	private ServerSettings settings() {
		try {
			return new ServerSettings(this.properties.getThreads(), this.properties.getPollInterval(),
					this.properties.getLeaseDuration(), this.properties.getFetchAhead(),
					this.properties.isInterruptOnLeaseLoss());
		}
		catch (IllegalArgumentException ex) {
			throw new LowkiqConfigurationException(String.valueOf(ex.getMessage()), "Change the property", ex);
		}
	}

	private ShardSplitter byNode() {
		int count = this.properties.getNodeCount();
		int number = this.properties.getNodeNumber();
		if (count < 1 || number < 0 || number >= count) {
			throw new LowkiqConfigurationException(
					"lowkiq.server.node-number is %d and lowkiq.server.node-count is %d".formatted(number, count),
					"Set node-count to the number of nodes, at least 1, "
							+ "and node-number to another number on each node, from 0 to node-count - 1");
		}
		return new ByNodeShardSplitter(count, number);
	}

	private ThreadFactory virtualThreads() {
		if (this.javaVersion < FIRST_JAVA_WITH_VIRTUAL_THREADS) {
			throw new LowkiqConfigurationException(
					"lowkiq.server.virtual-threads is set, but Java %d has no virtual threads".formatted(
							this.javaVersion),
					"Run the application on Java 21 or newer, or remove the property");
		}
		return new VirtualThreadTaskExecutor("lowkiq-perform-").getVirtualThreadFactory();
	}

}
