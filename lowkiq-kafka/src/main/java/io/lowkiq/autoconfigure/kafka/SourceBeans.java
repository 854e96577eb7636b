package io.lowkiq.autoconfigure.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.WorkerDiscovery;

/**
 * Finds the sources that beans are annotated with, and fails if one appears later, since
 * the definition of its bean doesn't say so.
 */
final class SourceBeans implements SmartInitializingSingleton {

	private final ConfigurableListableBeanFactory beanFactory;

	private final WorkerDiscovery workers;

	private List<String> found = List.of();

	SourceBeans(ConfigurableListableBeanFactory beanFactory, WorkerDiscovery workers) {
		this.beanFactory = beanFactory;
		this.workers = workers;
	}

	List<KafkaSource> find() {
		List<KafkaSource> sources = new ArrayList<>();
		this.found = names(this.beanFactory);
		for (String name : this.found) {
			for (LowkiqKafkaSource annotation : annotations(name)) {
				sources.add(source(name, this.workers.resolve(annotation, "bean '%s'".formatted(name))));
			}
		}
		return sources;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : names(this.beanFactory)) {
			if (!this.found.contains(name)) {
				throw new LowkiqConfigurationException(
						"Bean '%s' is annotated with @LowkiqKafkaSource, but its definition does not say so"
							.formatted(name),
						"Make the @Bean method return the class with the annotation");
			}
		}
	}

	static List<String> names(ConfigurableListableBeanFactory beanFactory) {
		return Stream.of(LowkiqKafkaSource.class, LowkiqKafkaSource.Container.class)
			.flatMap((type) -> Stream.of(beanFactory.getBeanNamesForAnnotation(type)))
			.filter((name) -> !ScopedProxyUtils.isScopedTarget(name))
			.distinct()
			.toList();
	}

	private Set<LowkiqKafkaSource> annotations(String name) {
		return this.beanFactory.findAllAnnotationsOnBean(name, LowkiqKafkaSource.class, false);
	}

	private KafkaSource source(String name, LowkiqKafkaSource annotation) {
		KafkaSource source = KafkaSource.of(queue(name, annotation), annotation.topics())
			.id(annotation.id())
			.score(annotation.score())
			.groupId(annotation.groupId())
			.tombstones(annotation.tombstones());
		String concurrency = annotation.concurrency();
		if (!concurrency.isEmpty()) {
			source = source.concurrency(number(concurrency, name));
		}
		return (annotation.payloadType() != void.class) ? source.payloadType(annotation.payloadType()) : source;
	}

	private String queue(String name, LowkiqKafkaSource annotation) {
		String queue = annotation.queue();
		if (!queue.isEmpty()) {
			return queue;
		}
		return this.workers.queueOf(name)
			.orElseThrow(() -> new LowkiqConfigurationException(
					"@LowkiqKafkaSource of bean '%s' names no queue, and the bean is not the worker of one"
						.formatted(name),
					"Add queue = \"…\""));
	}

	private static int number(String concurrency, String name) {
		try {
			return Integer.parseInt(concurrency);
		}
		catch (NumberFormatException ex) {
			throw new LowkiqConfigurationException(
					"The concurrency of @LowkiqKafkaSource of bean '%s' is '%s', which is not a number".formatted(name,
							concurrency),
					"Change it");
		}
	}

}
