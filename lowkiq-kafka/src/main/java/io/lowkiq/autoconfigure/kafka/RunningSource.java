package io.lowkiq.autoconfigure.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

import io.lowkiq.admin.SourceStatus;
import io.lowkiq.internal.LogText;

/** A source with its container. Thread-safe. */
record RunningSource(String name, KafkaSource source, String groupId, RecordEnqueuer records,
		KafkaSourceListener listener, ConcurrentMessageListenerContainer<?, ?> container) {

	/** How long the brokers may be silent; as far back as the consumer counts answers. */
	static final Duration SILENCE = Duration.ofMinutes(1);

	SourceStatus status() {
		return new SourceStatus(this.name, this.source.queue(), this.source.topics(), this.groupId, state(),
				this.listener.waiting(), problem(System.currentTimeMillis()), partitions());
	}

	/** Why nothing is enqueued, at milliseconds since 1970; null if nothing is known. */
	@Nullable String problem(long now) {
		Throwable problem = this.listener.problem();
		if (problem != null) {
			return LogText.of(problem.toString());
		}
		return isUnanswered(now) ? "No broker has answered for a minute" : null;
	}

	/** A consumer without partitions gets answers, too: to its heartbeats. */
	private boolean isUnanswered(long now) {
		Collection<? extends Map<MetricName, ? extends Metric>> consumers = this.container.metrics().values();
		return this.container.isRunning() && !consumers.isEmpty()
				&& consumers.stream()
					.allMatch((metrics) -> value(metrics, "response-rate") == 0
							&& now - value(metrics, "start-time-ms") >= SILENCE.toMillis());
	}

	private static double value(Map<MetricName, ? extends Metric> metrics, String name) {
		return metrics.entrySet()
			.stream()
			.filter((metric) -> metric.getKey().name().equals(name) && !metric.getKey().tags().containsKey("node-id"))
			.map((metric) -> metric.getValue().metricValue())
			.filter(Number.class::isInstance)
			.mapToDouble((value) -> ((Number) value).doubleValue())
			.findFirst()
			.orElse(Double.NaN);
	}

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
		return assigned().stream()
			.map((each) -> new SourceStatus.Partition(each.topic(), each.partition(), lags.get(each)))
			.sorted(Comparator.comparing(SourceStatus.Partition::topic)
				.thenComparing(SourceStatus.Partition::partition))
			.toList();
	}

	/** Consumers measure them when they read, so a paused one knows only those before. */
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
