package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.RegisteredWorker;

/**
 * The settings of the queues: what the annotations say, overridden by
 * {@code lowkiq.workers.<queue>.*}.
 */
class QueueSettings {

	private final Map<String, LowkiqProperties.Worker> overrides;

	QueueSettings(Map<String, LowkiqProperties.Worker> overrides) {
		this.overrides = overrides;
	}

	RegisteredWorker.Settings of(String queue, LowkiqWorker annotation, Collection<String> allQueues) {
		LowkiqProperties.Worker override = override(queue, allQueues);
		if (override == null) {
			override = new LowkiqProperties.Worker();
		}
		return new RegisteredWorker.Settings(or(override.getShards(), annotation.shards()),
				or(override.getBatchSize(), annotation.batchSize()),
				or(override.getMaxRetryCount(), annotation.maxRetryCount()),
				or(override.getMaxPayloads(), RegisteredWorker.Settings.DEFAULTS.maxPayloads()),
				or(override.getWeight(), RegisteredWorker.Settings.DEFAULTS.weight()),
				or(override.getShardConcurrency(), annotation.shardConcurrency()));
	}

	/**
	 * The names under {@code lowkiq.workers} that belong to no queue.
	 * @param allQueues the names of the queues
	 * @return the names, in their order
	 */
	List<String> unknown(Collection<String> allQueues) {
		List<String> unknown = new ArrayList<>();
		for (String key : this.overrides.keySet()) {
			if (allQueues.stream().noneMatch((queue) -> uniform(queue).equals(uniform(key)))) {
				unknown.add(key);
			}
		}
		return unknown;
	}

	/*
	 * An environment variable has no upper case, no dash and no dot in its names: it
	 * belongs to the queue that looks alike, unless that is the very name of another.
	 */
	private LowkiqProperties.@Nullable Worker override(String queue, Collection<String> allQueues) {
		LowkiqProperties.Worker exact = this.overrides.get(queue);
		if (exact != null) {
			return exact;
		}
		return this.overrides.entrySet()
			.stream()
			.filter((entry) -> uniform(entry.getKey()).equals(uniform(queue)) && !allQueues.contains(entry.getKey()))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

	private static String uniform(String name) {
		return name.replaceAll("[._-]", "").toLowerCase(Locale.ROOT);
	}

	private static int or(@Nullable Integer override, int declared) {
		return (override != null) ? override : declared;
	}

}
