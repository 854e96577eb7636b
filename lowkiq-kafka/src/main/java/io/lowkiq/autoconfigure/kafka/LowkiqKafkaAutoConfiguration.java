package io.lowkiq.autoconfigure.kafka;

import java.util.List;
import java.util.stream.Stream;

import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformContext;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.LowkiqProperties;
import io.lowkiq.autoconfigure.LowkiqServerCustomizer;
import io.lowkiq.autoconfigure.WorkerDiscovery;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.redis.RedisStore;

/** Auto-configuration of Kafka sources. */
@AutoConfiguration(after = LowkiqServerAutoConfiguration.class,
		afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@ConditionalOnBean(StoreEnqueuer.class)
public final class LowkiqKafkaAutoConfiguration {

	/** The sources, where Kafka is configured. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(ConcurrentKafkaListenerContainerFactoryConfigurer.class)
	@RegisterReflectionForBinding({ RecordView.class, GivenUpRecord.class })
	static class SourcesConfiguration {

		@Bean
		SourceBeans lowkiqKafkaSourceBeans(ConfigurableListableBeanFactory beanFactory, WorkerDiscovery discovery) {
			return new SourceBeans(beanFactory, discovery);
		}

		@Bean
		KafkaSources lowkiqKafkaSources(ObjectProvider<KafkaSource> beans, SourceBeans annotated,
				ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
				ObjectProvider<ConsumerFactory<?, ?>> consumers, WorkerRegistry workers, LowkiqClient client,
				StoreEnqueuer enqueuer, RedisStore store, PayloadCodec codec, LowkiqProperties properties,
				ObjectProvider<KafkaListenerEndpointRegistry> registry, ApplicationContext context) {
			List<KafkaSource> sources = Stream.concat(annotated.find().stream(), beans.orderedStream()).toList();
			return new KafkaSources(sources,
					new SourceContainers(configurer, unique(consumers), context, properties.keyPrefix()), workers,
					client, enqueuer, store, codec, registry.getIfUnique());
		}

		@Bean
		LowkiqServerCustomizer lowkiqKafkaRecordWorkers(KafkaSources sources, ObjectProvider<PerformContext> context) {
			return (options) -> sources.recordWorkers(context::getObject).forEach(options::worker);
		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(MeterBinder.class)
		@ConditionalOnBooleanProperty(name = "lowkiq.metrics.enabled", matchIfMissing = true)
		static class MetricsConfiguration {

			@Bean
			SourceGauges lowkiqKafkaGauges(KafkaSources sources) {
				return new SourceGauges(sources.running());
			}

		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
		static class HealthConfiguration {

			@Bean
			@ConditionalOnEnabledHealthIndicator("lowkiq-kafka")
			SourcesHealthIndicator lowkiqKafkaHealthIndicator(KafkaSources sources) {
				return new SourcesHealthIndicator(sources);
			}

		}

		@SuppressWarnings("unchecked")
		private static ConsumerFactory<Object, Object> unique(ObjectProvider<ConsumerFactory<?, ?>> consumers) {
			ConsumerFactory<?, ?> unique = consumers.getIfUnique();
			if (unique == null) {
				throw new LowkiqConfigurationException(
						"It is not clear which ConsumerFactory Kafka sources use: there are several beans",
						"Mark one of them as @Primary");
			}
			return (ConsumerFactory<Object, Object>) unique;
		}

	}

	/** Refuses sources where Kafka is not configured. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(ConcurrentKafkaListenerContainerFactoryConfigurer.class)
	static class MissingKafkaConfiguration {

		@Bean
		static SmartInitializingSingleton lowkiqMissingKafka(ConfigurableListableBeanFactory beanFactory) {
			return () -> {
				List<String> names = Stream
					.concat(SourceBeans.names(beanFactory).stream(),
							Stream.of(beanFactory.getBeanNamesForType(KafkaSource.class, false, false)))
					.toList();
				if (!names.isEmpty()) {
					throw new LowkiqConfigurationException(
							"There are Kafka sources, but Kafka is not configured: %s"
								.formatted(String.join(", ", names)),
							"Remove KafkaAutoConfiguration from spring.autoconfigure.exclude, or define a ConcurrentKafkaListenerContainerFactoryConfigurer");
				}
			};
		}

	}

}
