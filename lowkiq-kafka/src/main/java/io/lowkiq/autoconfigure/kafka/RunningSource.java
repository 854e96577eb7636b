package io.lowkiq.autoconfigure.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

import io.lowkiq.admin.SourceStatus;
import io.lowkiq.internal.LogText;

/**
 * A source with its container. Thread-safe.
 *
 * @param name the name of the container
 * @param source the source
 * @param groupId its consumer group
 * @param records makes jobs of its records
 * @param listener enqueues its records
 * @param container has its consumers
 */
record RunningSource(String name, KafkaSource source, String groupId, RecordEnqueuer records,
		KafkaSourceListener listener, ConcurrentMessageListenerContainer<?, ?> container) {

	/** The source's present status. */
	SourceStatus status() {
		Throwable problem = this.listener.problem();
		return new SourceStatus(this.name, this.source.queue(), this.source.topics(), this.groupId, state(),
				this.listener.waiting(), (problem != null) ? LogText.of(problem.toString()) : null, partitions());
	}

	/** Whether the source reads records. */
	SourceStatus.State state() {
		if (!this.container.isInExpectedState()) {
			return SourceStatus.State.FAILED;
		}
		if (!this.container.isRunning()) {
			return SourceStatus.State.STOPPED;
		}
		return this.container.isPauseRequested() ? SourceStatus.State.PAUSED : SourceStatus.State.RUNNING;
	}

	private Collection<TopicPartition> assigned() {
		Collection<TopicPartition> assigned = this.container.getAssignedPartitions();
		return (assigned != null) ? List.copyOf(assigned) : List.of();
	}

	private List<SourceStatus.Partition> partitions() {
		Map<TopicPartition, Long> lags = this.container.isPauseRequested() ? Map.of() : lags();
		List<SourceStatus.Partition> partitions = new ArrayList<>();
		assigned().forEach(
				(each) -> partitions.add(new SourceStatus.Partition(each.topic(), each.partition(), lags.get(each))));
		partitions
			.sort(Comparator.comparing(SourceStatus.Partition::topic).thenComparing(SourceStatus.Partition::partition));
		return partitions;
	}

	/**
	 * As the consumers measure it. They do so when they read, so what a paused one has
	 * measured is only what was unread before the pause.
	 */
	private Map<TopicPartition, Long> lags() {
		Map<TopicPartition, Long> lags = new HashMap<>();
		this.container.metrics().values().forEach((metrics) -> metrics.forEach((name, metric) -> {
			if (name.name().equals("records-lag") && metric.metricValue() instanceof Double lag && !lag.isNaN()) {
				@Nullable String topic = name.tags().get("topic");
				@Nullable String partition = name.tags().get("partition");
				if (topic != null && partition != null) {
					lags.put(new TopicPartition(topic, Integer.parseInt(partition)), lag.longValue());
				}
			}
		}));
		lags.keySet().removeAll(this.listener.paused());
		return lags;
	}

	/** Resumes the source, and starts it if it has stopped. */
	void resume() {
		this.container.resume();
		if (!this.container.isInExpectedState()) {
			this.container.stop();
		}
		this.container.start();
	}

	/**
	 * Moves to another offset.
	 * @throws IllegalStateException if this application doesn't have the partition
	 */
	void seek(TopicPartition partition, long offset) {
		if (offset < 0) {
			throw new IllegalArgumentException("Offset %s is negative".formatted(offset));
		}
		if (!assigned().contains(partition)) {
			throw new IllegalStateException(
					"Partition %s is not assigned to source '%s' of this instance. Another instance may have it"
						.formatted(partition, this.name));
		}
		this.listener.seek(partition, offset);
	}

}
