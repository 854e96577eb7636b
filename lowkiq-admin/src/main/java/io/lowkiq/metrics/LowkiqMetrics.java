package io.lowkiq.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.engine.ServerStatus;

/**
 * Publishes what the client and the server do, and the sizes of the queues, by
 * Micrometer. What happens before it is bound to a registry is not counted. Thread-safe.
 */
public final class LowkiqMetrics implements LowkiqObserver, MeterBinder {

	private final QueueStatistics statistics;

	private final Supplier<? extends @Nullable ServerStatus> status;

	/** Filled when a registry is bound, read by all. */
	private final List<EventMeters> meters = new CopyOnWriteArrayList<>();

	/**
	 * Metrics.
	 * @param status what the server of this application does; gives null where there is
	 * none
	 */
	public LowkiqMetrics(QueueStatistics statistics, Supplier<? extends @Nullable ServerStatus> status) {
		this.statistics = statistics;
		this.status = status;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		new StateGauges(this.statistics, this.status, registry).register();
		this.meters.add(new EventMeters(registry));
	}

	@Override
	public void enqueued(String queue, int jobs, int merged, Duration took) {
		each((meter) -> meter.enqueued(queue, merged, took));
	}

	@Override
	public void enqueueFailed(String queue, int jobs, Duration took) {
		each((meter) -> meter.enqueueFailed(queue, took));
	}

	@Override
	public void begins(String queue, int payloads, Duration waited) {
		each((meter) -> meter.begins(queue, payloads, waited));
	}

	@Override
	public void performed(String queue, int done, int failed, Duration took) {
		each((meter) -> meter.performed(queue, done, failed, took));
	}

	@Override
	public void buried(String queue, int payloads) {
		each((meter) -> meter.count("lowkiq.jobs.buried", queue, payloads));
	}

	@Override
	public void fenced(String queue) {
		each((meter) -> meter.count("lowkiq.calls.fenced", queue, 1));
	}

	@Override
	public void ungrouped(String queue, int jobs) {
		each((meter) -> meter.count("lowkiq.jobs.ungrouped", queue, jobs));
	}

	@Override
	public void leaseLost() {
		each(EventMeters::leaseLost);
	}

	@Override
	public void everythingForgotten() {
		each(EventMeters::everythingForgotten);
	}

	@Override
	public void callsForgotten(int shards) {
		each(EventMeters::callsForgotten);
	}

	@Override
	public void restored(String queue, int jobs) {
		each((meter) -> meter.count("lowkiq.jobs.restored", queue, jobs));
	}

	private void each(Consumer<EventMeters> event) {
		this.meters.forEach(event);
	}

}
