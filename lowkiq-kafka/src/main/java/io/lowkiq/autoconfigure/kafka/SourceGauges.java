package io.lowkiq.autoconfigure.kafka;

import java.util.List;
import java.util.function.ToLongFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import io.lowkiq.admin.SourceStatus;

/** The gauges of the sources of this application. */
class SourceGauges implements MeterBinder {

	private final List<RunningSource> sources;

	SourceGauges(List<RunningSource> sources) {
		this.sources = sources;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.sources.forEach((source) -> {
			bind(registry, source, "lowkiq.source.running", "Whether the source reads records",
					(each) -> (each.state() == SourceStatus.State.RUNNING) ? 1 : 0);
			bind(registry, source, "lowkiq.source.waiting", "Polled records that can't be enqueued for now",
					(each) -> each.listener().waiting());
		});
	}

	private static void bind(MeterRegistry registry, RunningSource source, String name, String description,
			ToLongFunction<RunningSource> value) {
		Gauge.builder(name, () -> value.applyAsLong(source))
			.description(description)
			.tag("source", source.name())
			.tag("queue", source.source().queue())
			.register(registry);
	}

}
