package io.lowkiq.autoconfigure.metrics;

import java.time.InstantSource;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.metrics.LowkiqMetrics;
import io.lowkiq.metrics.QueueStatistics;

/** Auto-configuration of the metrics. */
@AutoConfiguration(after = LowkiqServerAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass({ MeterRegistry.class, MeterBinder.class })
@ConditionalOnBean({ QueueStatistics.class, MeterRegistry.class })
@ConditionalOnBooleanProperty(name = "lowkiq.metrics.enabled", matchIfMissing = true)
public final class LowkiqMetricsAutoConfiguration {

	/*
	 * The server has the metrics as its observer, so they ask for it later.
	 */
	@Bean
	@ConditionalOnMissingBean
	LowkiqMetrics lowkiqMetrics(QueueStatistics statistics, ObjectProvider<LowkiqServer> server) {
		return new LowkiqMetrics(statistics, () -> {
			LowkiqServer available = server.getIfAvailable();
			return (available != null) ? available.status() : null;
		});
	}

	@Bean
	BackgroundLoopMeters lowkiqBackgroundLoopMeters(ObjectProvider<BackgroundLoop.Owner> owners) {
		return new BackgroundLoopMeters(owners, InstantSource.system());
	}

}
