package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.dao.DataAccessException;

import io.lowkiq.StoreException;
import io.lowkiq.autoconfigure.outbox.OutboxTable.Backlog;
import io.lowkiq.store.inspection.RecentSnapshot;

/** Publishes what waits in the outbox, and what was sent again. Thread-safe. */
class OutboxGauges implements MeterBinder {

	private final RecentSnapshot<Backlog> backlog;

	private final OutboxFlush flush;

	OutboxGauges(OutboxTable table, OutboxFlush flush, InstantSource clock, Duration maxAge) {
		this.flush = flush;
		this.backlog = new RecentSnapshot<>(() -> read(table), clock, maxAge);
	}

	private static Backlog read(OutboxTable table) {
		try {
			return table.backlog();
		}
		catch (DataAccessException ex) {
			throw new StoreException("The table lowkiq_outbox can't be read", ex);
		}
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("lowkiq.outbox.rows", this, (gauges) -> gauges.value(Backlog::rows))
			.description("Rows of the table lowkiq_outbox, and those that wait in lowkiq_outbox_aside")
			.register(registry);
		Gauge.builder("lowkiq.outbox.age", this, (gauges) -> gauges.value((read) -> read.age().toMillis() / 1000.0))
			.description("How long ago the oldest of these rows was written")
			.baseUnit("seconds")
			.register(registry);
		Gauge.builder("lowkiq.outbox.aside", this, (gauges) -> gauges.value(Backlog::aside))
			.description("Rows of the table lowkiq_outbox_aside, which can't be sent as they are")
			.register(registry);
		FunctionCounter.builder("lowkiq.outbox.resent", this.flush, OutboxFlush::resent)
			.description("Rows that this application has sent again, because Redis had forgotten them")
			.register(registry);
	}

	private double value(ToDoubleFunction<Backlog> value) {
		try {
			return value.applyAsDouble(this.backlog.get());
		}
		catch (StoreException ex) {
			return Double.NaN;
		}
	}

}
