package io.lowkiq.metrics;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

import io.lowkiq.StoreException;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.metrics.QueueStatistics.QueueCounts;
import io.lowkiq.metrics.QueueStatistics.Snapshot;

/**
 * The gauges of one registry. All read one snapshot, so a scrape costs the store at most
 * one reading. While the store can't be reached, gauges of queues and groups are NaN.
 */
final class StateGauges {

	/** Stands for the empty name, which not every registry takes as a tag. */
	private static final String WITHOUT_GROUP = "(none)";

	private final QueueStatistics statistics;

	private final Supplier<? extends @Nullable ServerStatus> status;

	private final MeterRegistry registry;

	/** The queues that have gauges. Written and read by whoever scrapes. */
	private final Set<String> queues = ConcurrentHashMap.newKeySet();

	private final MultiGauge groups;

	StateGauges(QueueStatistics statistics, Supplier<? extends @Nullable ServerStatus> status, MeterRegistry registry) {
		this.statistics = statistics;
		this.status = status;
		this.registry = registry;
		this.groups = MultiGauge.builder("lowkiq.group.waiting")
			.description("Ready jobs of the groups that have the most")
			.register(registry);
	}

	void register() {
		gauge("lowkiq.shards.unowned", "Shards of recorded queues without a living owner", StateGauges::unowned)
			.register(this.registry);
		server("lowkiq.shards.owned", "Shards that this node owns",
				(server) -> server.shards().stream().filter(ShardStatus::held).count());
		server("lowkiq.threads.busy", "Threads of this node that are performing jobs",
				(server) -> server.threads().stream().filter((thread) -> !thread.ids().isEmpty()).count());
		server("lowkiq.queues.foreign", "Queues that this node leaves to another application",
				(server) -> server.foreignQueues()
					.keySet()
					.stream()
					.filter((queue) -> InternalQueue.of(queue).isEmpty())
					.count());
	}

	private void server(String name, String description, ToDoubleFunction<ServerStatus> value) {
		gauge(name, description, (gauges) -> gauges.value(value)).register(this.registry);
	}

	private Gauge.Builder<StateGauges> gauge(String name, String description, ToDoubleFunction<StateGauges> value) {
		return Gauge.builder(name, this, value).description(description).strongReference(true);
	}

	private double value(ToDoubleFunction<ServerStatus> value) {
		ServerStatus server = this.status.get();
		return (server != null) ? value.applyAsDouble(server) : 0;
	}

	private double unowned() {
		Snapshot snapshot = snapshot();
		if (snapshot == null) {
			return Double.NaN;
		}
		snapshot.queues().forEach((queue) -> addQueue(queue.queue()));
		updateGroups();
		return snapshot.sum(QueueCounts::unowned);
	}

	private void addQueue(String queue) {
		if (this.queues.add(queue)) {
			size(queue, "fresh", QueueCounts::fresh);
			size(queue, "retry", QueueCounts::retry);
			size(queue, "busy", QueueCounts::busy);
			size(queue, "held", QueueCounts::held);
			size(queue, "morgue", QueueCounts::dead);
			lag(queue, "lowkiq.queue.lag", "How long the oldest due job that may start has been due", QueueCounts::lag);
			lag(queue, "lowkiq.queue.lag.all", "The same of all due jobs, those that are held back included",
					QueueCounts::lagOfAll);
			gauge("lowkiq.queue.follow.ups", "What follows completed jobs of the queue and is not in its own queue yet",
					(gauges) -> gauges.value(queue, QueueCounts::followUps))
				.tag("queue", queue)
				.register(this.registry);
		}
	}

	private void lag(String queue, String name, String description, ToLongFunction<QueueCounts> lag) {
		gauge(name, description, (gauges) -> gauges.value(queue, (counts) -> lag.applyAsLong(counts) / 1000.0))
			.baseUnit("seconds")
			.tag("queue", queue)
			.register(this.registry);
	}

	private void size(String queue, String state, ToDoubleFunction<QueueCounts> count) {
		gauge("lowkiq.queue.size", "Jobs by state", (gauges) -> gauges.value(queue, count)).tag("queue", queue)
			.tag("state", state)
			.register(this.registry);
	}

	/** If the groups can't be read, their gauges stay, and are NaN. */
	private void updateGroups() {
		Map<String, Map<String, Long>> waiting = waitingGroups();
		if (waiting != null) {
			this.groups.register(waiting.entrySet()
				.stream()
				.flatMap((queue) -> queue.getValue().keySet().stream().map((group) -> row(queue.getKey(), group)))
				.toList());
		}
	}

	private MultiGauge.Row<StateGauges> row(String queue, String group) {
		return MultiGauge.Row.of(Tags.of("queue", queue, "group", group.isEmpty() ? WITHOUT_GROUP : group), this,
				(gauges) -> gauges.waiting(queue, group));
	}

	private double waiting(String queue, String group) {
		Map<String, Map<String, Long>> waiting = waitingGroups();
		Long jobs = (waiting != null) ? waiting.getOrDefault(queue, Map.of()).get(group) : null;
		return (jobs != null) ? jobs : Double.NaN;
	}

	private @Nullable Map<String, Map<String, Long>> waitingGroups() {
		try {
			return this.statistics.waitingGroups();
		}
		catch (StoreException ex) {
			return null;
		}
	}

	private double value(String queue, ToDoubleFunction<QueueCounts> count) {
		Snapshot snapshot = snapshot();
		return (snapshot != null) ? snapshot.of(queue).map(count::applyAsDouble).orElse(Double.NaN) : Double.NaN;
	}

	private @Nullable Snapshot snapshot() {
		try {
			return this.statistics.snapshot();
		}
		catch (StoreException ex) {
			return null;
		}
	}

}
