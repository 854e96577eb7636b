package io.lowkiq.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.env.Environment;

/**
 * Warns of properties and environment variables that begin with {@code lowkiq} and are
 * known to nobody, such as a misspelled one.
 */
class UnknownProperties implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(UnknownProperties.class);

	/**
	 * Prefixes that are not checked here: properties of queues are checked separately,
	 * the others belong to parts that may be off.
	 */
	private static final Set<String> NOT_HERE = Set.of("lowkiq.workers", "lowkiq.queues", "lowkiq.dashboard",
			"lowkiq.outbox", "lowkiq.test");

	private final ListableBeanFactory beans;

	private final Environment environment;

	private final Collection<QueueProperties<?>> ofQueues;

	UnknownProperties(ListableBeanFactory beans, Environment environment, Collection<QueueProperties<?>> ofQueues) {
		this.beans = beans;
		this.environment = environment;
		this.ofQueues = ofQueues;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Map<String, Class<?>> types = types();
		Map<String, String> meant = new TreeMap<>();
		types.forEach((prefix, type) -> names(type).forEach((name) -> meant.put(prefix + name, prefix + name)));
		Set<String> known = meant.keySet().stream().map(PropertyNames::uniform).collect(Collectors.toSet());
		names(LowkiqProperties.Worker.class)
			.forEach((name) -> meant.putIfAbsent("lowkiq.worker-defaults" + name, "lowkiq.workers.<queue>" + name));
		Map<String, String> unknown = new LinkedHashMap<>();
		PropertyNames.in(this.environment)
			.filter((found) -> NOT_HERE.stream()
				.noneMatch((prefix) -> !types.containsKey(prefix) && found.name().startsWith(prefix + "."))
					&& !known.contains(PropertyNames.uniform(found.name().replaceFirst("\\.\\[?\\d+]?$", ""))))
			.forEach((found) -> unknown.putIfAbsent(found.spelled(),
					describe(found, PropertyNames.similar(found.name(), meant.keySet().stream()).map(meant::get))));
		this.ofQueues.forEach((properties) -> properties.unknownProperties()
			.forEach((found) -> unknown.putIfAbsent(found.spelled(),
					describe(found, PropertyNames.similar(found.name(), properties.candidates(found.name()))))));
		if (!unknown.isEmpty()) {
			logger.warn("Lowkiq does not know these properties; they have no effect: {}",
					String.join("; ", unknown.values()));
		}
	}

	private static Stream<String> names(Class<?> type) {
		return PropertyNames.of(type).filter((name) -> !name.contains("*")).map("."::concat);
	}

	private static String describe(PropertyNames.Found found, Optional<String> meant) {
		return "%s (%s)%s".formatted(found.spelled(), found.origin(),
				meant.map((name) -> ", did you mean %s?".formatted(
						found.isVariable() ? name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT) : name))
					.orElse(""));
	}

	/** The types of properties by their prefix. */
	private Map<String, Class<?>> types() {
		Map<String, Class<?>> types = new TreeMap<>();
		for (String name : this.beans.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
			ConfigurationProperties annotation = this.beans.findAnnotationOnBean(name, ConfigurationProperties.class,
					false);
			Class<?> type = this.beans.getType(name, false);
			if (annotation != null && type != null && (annotation.prefix() + ".").startsWith("lowkiq.")) {
				types.put(annotation.prefix(), type);
			}
		}
		return types;
	}

}
