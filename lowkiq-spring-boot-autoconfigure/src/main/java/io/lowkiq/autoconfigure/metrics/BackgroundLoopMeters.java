package io.lowkiq.autoconfigure.metrics;

import java.time.Duration;
import java.time.InstantSource;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;

import io.lowkiq.internal.BackgroundLoop;

/**
 * A gauge for each background task: seconds since it last worked; 0 while not running.
 */
class BackgroundLoopMeters implements MeterBinder {

	private final ObjectProvider<BackgroundLoop.Owner> owners;

	private final InstantSource clock;

	BackgroundLoopMeters(ObjectProvider<BackgroundLoop.Owner> owners, InstantSource clock) {
		this.owners = owners;
		this.clock = clock;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.owners.orderedStream().map(BackgroundLoop.Owner::loop).forEach((loop) -> {
			Gauge.builder("lowkiq.background.age", loop, (task) -> age(task.status()))
				.description("How long ago the background task last worked")
				.baseUnit("seconds")
				.tag("task", loop.status().name())
				.register(registry);
		});
	}

	private double age(BackgroundLoop.Status status) {
		return status.running() ? Duration.between(status.lastSuccess(), this.clock.instant()).toMillis() / 1_000.0 : 0;
	}

}
