package io.lowkiq.autoconfigure.kafka;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.ConsumerFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.LowkiqAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.LowkiqProperties;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * Auto-configuration of Kafka sources.
 */
@AutoConfiguration(after = LowkiqAutoConfiguration.class,
		afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@ConditionalOnBean(StoreEnqueuer.class)
public final class LowkiqKafkaAutoConfiguration {

	/**
	 * The sources, where Kafka is configured.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(ConcurrentKafkaListenerContainerFactoryConfigurer.class)
	@RegisterReflectionForBinding(RecordView.class)
	static class SourcesConfiguration {

		@Bean
		KafkaSources lowkiqKafkaSources(ObjectProvider<KafkaSource> beans, ConfigurableListableBeanFactory beanFactory,
				ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
				ObjectProvider<ConsumerFactory<?, ?>> consumers, WorkerRegistry workers, LowkiqClient client,
				StoreEnqueuer enqueuer, InspectableStore store, PayloadCodec codec, LowkiqProperties properties,
				ApplicationContext context) {
			List<KafkaSource> sources = Stream
				.concat(new SourceBeans(beanFactory, workers).find().stream(), beans.orderedStream())
				.toList();
			return new KafkaSources(sources,
					new SourceContainers(configurer, unique(consumers), context, properties.getKeyPrefix()), workers,
					client, enqueuer, store, codec);
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

	/**
	 * Refuses sources where Kafka is not configured.
	 */
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
