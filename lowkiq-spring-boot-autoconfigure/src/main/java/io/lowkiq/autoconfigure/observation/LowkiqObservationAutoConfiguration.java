package io.lowkiq.autoconfigure.observation;

import io.lettuce.core.tracing.LettuceObservationContext;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.LowkiqProperties;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.client.EnqueueTracing;
import io.lowkiq.observation.EnqueueObservationConvention;
import io.lowkiq.observation.ObservedEnqueues;
import io.lowkiq.observation.ObservedPerforms;
import io.lowkiq.observation.PerformObservationConvention;
import io.lowkiq.store.job.TracedProducer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.TaskDecorator;

/** Auto-configuration of observations of enqueues and performs, and of their spans. */
@AutoConfiguration(after = LowkiqServerAutoConfiguration.class, afterName = {
		"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
		"org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
		"org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration",
		"org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "lowkiq.enabled", matchIfMissing = true)
public final class LowkiqObservationAutoConfiguration {

	/** Outside the interceptors of applications that have an order. */
	private static final int OUTERMOST = Ordered.HIGHEST_PRECEDENCE;

	@Bean
	@ConditionalOnBean(TaskDecorator.class)
	@Order(OUTERMOST)
	DecoratedPerforms lowkiqDecoratedPerforms(ObjectProvider<TaskDecorator> decorators) {
		return new DecoratedPerforms(decorators.orderedStream().toList());
	}

	/** Observations. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ObservationRegistry.class)
	@ConditionalOnBean(ObservationRegistry.class)
	static class ObservationConfiguration {

		@Bean
		@ConditionalOnMissingBean(EnqueueTracing.class)
		ObservedEnqueues lowkiqObservedEnqueues(ObservationRegistry registry,
				ObjectProvider<EnqueueObservationConvention> convention, LowkiqProperties properties) {
			return new ObservedEnqueues(registry, convention.getIfAvailable(), maxProducers(properties));
		}

		@Bean
		@ConditionalOnMissingBean
		@Order(OUTERMOST + 1)
		ObservedPerforms lowkiqObservedPerforms(ObservationRegistry registry,
				ObjectProvider<PerformObservationConvention> convention, LowkiqProperties properties) {
			return new ObservedPerforms(registry, convention.getIfAvailable(), maxProducers(properties));
		}

		private static int maxProducers(LowkiqProperties properties) {
			int max = properties.tracing().maxProducers();
			if (max < 1 || max > TracedProducer.MAX_PRODUCERS) {
				throw new LowkiqConfigurationException("lowkiq.tracing.max-producers is %s; it must be between 1 and %s"
					.formatted(max, TracedProducer.MAX_PRODUCERS), "Change the property");
			}
			return max;
		}

	}

	/** Keeps observations out of the meters, which count the same calls. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ ObservationRegistry.class, MeterFilter.class })
	static class MeterConfiguration {

		@Bean
		SpansOnly lowkiqSpansOnly() {
			return new SpansOnly();
		}

	}

	/** Keeps Lowkiq's background commands out of traces. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ ObservationRegistry.class, LettuceObservationContext.class })
	@ConditionalOnBooleanProperty(name = "lowkiq.tracing.store-commands", havingValue = false, matchIfMissing = true)
	static class StoreCommandsConfiguration {

		@Bean
		StoreCommands lowkiqStoreCommands(LowkiqProperties properties) {
			return new StoreCommands(properties.keyPrefix());
		}

	}

	/** Spans. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Tracer.class, TracingObservationHandler.class })
	@ConditionalOnBean(Tracer.class)
	static class TracingConfiguration {

		@Bean
		EnqueueTracingHandler lowkiqEnqueueTracingHandler(Tracer tracer) {
			return new EnqueueTracingHandler(tracer);
		}

		@Bean
		PerformTracingHandler lowkiqPerformTracingHandler(Tracer tracer) {
			return new PerformTracingHandler(tracer);
		}

	}

}
