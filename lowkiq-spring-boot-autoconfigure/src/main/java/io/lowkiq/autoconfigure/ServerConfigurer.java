package io.lowkiq.autoconfigure;

import java.time.Duration;

import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

import io.lowkiq.internal.DurationText;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.engine.schedule.ByNodeShardSplitter;
import io.lowkiq.engine.schedule.DefaultShardSplitter;
import io.lowkiq.engine.schedule.LagShardScheduler;
import io.lowkiq.engine.schedule.SeqShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardSplitter;
import io.lowkiq.engine.schedule.WeightedShardScheduler;

/** Turns {@code lowkiq.server.*} into the parts of a server. */
class ServerConfigurer {

	private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

	private final LowkiqProperties.Server properties;

	private final boolean virtualByDefault;

	private final int javaVersion;

	ServerConfigurer(LowkiqProperties.Server properties, boolean virtualByDefault, int javaVersion) {
		this.properties = properties;
		this.virtualByDefault = virtualByDefault;
		this.javaVersion = javaVersion;
	}

	static ServerConfigurer of(LowkiqProperties.Server properties, Environment environment) {
		return new ServerConfigurer(properties, Threading.VIRTUAL.isActive(environment), Runtime.version().feature());
	}

	void configure(ServerOptions options) {
		options.settings(settings());
		if (isVirtual()) {
			// Without names of their own, so that the server names them by their place
			options.threadFactory(new VirtualThreadTaskExecutor().getVirtualThreadFactory()).threadPerRun(true);
		}
	}

	boolean isVirtual() {
		Boolean chosen = this.properties.virtualThreads();
		if (chosen == null) {
			return this.virtualByDefault;
		}
		if (chosen && this.javaVersion < FIRST_JAVA_WITH_VIRTUAL_THREADS) {
			throw new LowkiqConfigurationException(
					"lowkiq.server.virtual-threads is set, but Java %s has no virtual threads".formatted(
							this.javaVersion),
					"Run the application on Java 21 or newer, or remove the property");
		}
		return chosen;
	}

	private ServerSettings settings() {
		try {
			return new ServerSettings(this.properties.threads(), this.properties.pollInterval(),
					this.properties.leaseDuration(), this.properties.fetchAhead(),
					this.properties.interruptOnLeaseLoss());
		}
		catch (IllegalArgumentException ex) {
			throw new LowkiqConfigurationException(String.valueOf(ex.getMessage()), "Change the property", ex);
		}
	}

	static Duration shutdownTimeout(LowkiqProperties.Server properties) {
		Duration timeout = properties.shutdownTimeout();
		LowkiqConfigurationException.check(!timeout.isNegative(), "lowkiq.server.shutdown-timeout",
				DurationText.of(timeout), "not be negative");
		return timeout;
	}

	static ShardSplitter splitter(LowkiqProperties.Server properties) {
		return switch (properties.splitter()) {
			case DEFAULT -> new DefaultShardSplitter();
			case BY_NODE -> byNode(properties);
		};
	}

	private static ShardSplitter byNode(LowkiqProperties.Server properties) {
		int count = properties.nodeCount();
		int number = properties.nodeNumber();
		if (count < 1 || number < 0 || number >= count) {
			throw new LowkiqConfigurationException(
					"lowkiq.server.node-number is %s and lowkiq.server.node-count is %s".formatted(number, count),
					"Set node-count to the number of nodes, at least 1, "
							+ "and node-number to another number on each node, from 0 to node-count - 1");
		}
		return new ByNodeShardSplitter(count, number);
	}

	static ShardScheduler scheduler(LowkiqProperties.Server properties, WorkerRegistry workers) {
		return switch (properties.scheduler()) {
			case LAG -> new LagShardScheduler();
			case SEQ -> new SeqShardScheduler();
			case WEIGHTED -> new WeightedShardScheduler(
					(queue) -> workers.ofQueue(queue).map((worker) -> worker.settings().schedulerWeight()).orElse(1));
		};
	}

}
