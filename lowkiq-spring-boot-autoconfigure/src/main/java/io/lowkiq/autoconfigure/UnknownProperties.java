package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/**
 * Warns of properties that begin with {@code lowkiq} and are known to nobody, such as a
 * misspelled one. What comes from the environment or from system properties is not looked
 * at: other programs may have a use for it.
 */
class UnknownProperties implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(UnknownProperties.class);

	private static final String PREFIX = "lowkiq";

	private static final String WORKERS = PREFIX + ".workers";

	private static final String DEFAULTS = PREFIX + ".worker-defaults.";

	/** Queues are checked separately, and others belong to parts that may be off. */
	private static final List<String> NOT_HERE = List.of(WORKERS, PREFIX + ".queues", PREFIX + ".dashboard",
			PREFIX + ".outbox", PREFIX + ".test");

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
		Map<String, Class<?>> known = known();
		List<String> unknown = new ArrayList<>();
		known.forEach((prefix, type) -> unbound(prefix, type).stream()
			.filter((property) -> !isElsewhere(property.getName(), prefix, known.keySet()))
			.map((property) -> describe(property.getName().toString(), property.getOrigin(), names(known)))
			.forEach(unknown::add));
		this.ofQueues.forEach((properties) -> properties.unknownProperties()
			.forEach((name, origin) -> unknown.add(describe(name, origin, ofQueue(name, properties)))));
		if (!unknown.isEmpty()) {
			logger.warn("Lowkiq does not know these properties; they have no effect: {}", String.join("; ", unknown));
		}
	}

	private String describe(String name, @Nullable Origin origin, Stream<String> names) {
		String from = (origin != null) ? " (%s)".formatted(origin) : "";
		return name + from
				+ onlyOfQueues(name).or(() -> SimilarName.of(name, names).map(", did you mean %s?"::formatted))
					.orElse("");
	}

	/** A hint for a property that can be set for each queue, but not for all at once. */
	private Optional<String> onlyOfQueues(String name) {
		return this.ofQueues.stream()
			.filter((properties) -> name.startsWith(DEFAULTS) && properties.prefix().equals(WORKERS)
					&& properties.known().contains(name.substring(DEFAULTS.length())))
			.map((properties) -> ", which is set for each queue: %s.<queue>.%s".formatted(WORKERS,
					name.substring(DEFAULTS.length())))
			.findFirst();
	}

	/** The names that it may have meant; dots may be part of the queue's. */
	private static Stream<String> ofQueue(String name, QueueProperties<?> properties) {
		String[] elements = name.split("\\.");
		int least = properties.prefix().split("\\.").length + 1;
		return properties.known().stream().flatMap((known) -> {
			int queue = elements.length - known.split("\\.").length;
			return (queue < least) ? Stream.empty()
					: Stream.of(String.join(".", List.of(elements).subList(0, queue)) + "." + known);
		});
	}

	private static Stream<String> names(Map<String, Class<?>> types) {
		return types.entrySet()
			.stream()
			.flatMap((entry) -> PropertyNames.of(entry.getValue())
				.filter((name) -> !name.contains("*"))
				.map((name) -> entry.getKey() + "." + name));
	}

	/** The types of properties by their prefix. */
	private Map<String, Class<?>> known() {
		Map<String, Class<?>> known = new TreeMap<>();
		for (String name : this.beans.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
			ConfigurationProperties annotation = this.beans.findAnnotationOnBean(name, ConfigurationProperties.class,
					false);
			Class<?> type = this.beans.getType(name, false);
			if (annotation != null && type != null
					&& (annotation.prefix().equals(PREFIX) || annotation.prefix().startsWith(PREFIX + "."))) {
				known.put(annotation.prefix(), type);
			}
		}
		return known;
	}

	private Collection<ConfigurationProperty> unbound(String prefix, Class<?> type) {
		try {
			Binder.get(this.environment)
				.bind(prefix, Bindable.of(type), new NoUnboundElementsBindHandler(new IgnoreErrorsBindHandler(),
						new UnboundElementsSourceFilter()));
			return List.of();
		}
		catch (BindException ex) {
			return (ex.getCause() instanceof UnboundConfigurationPropertiesException unbound)
					? unbound.getUnboundProperties() : List.of();
		}
	}

	private static boolean isElsewhere(ConfigurationPropertyName name, String prefix, Collection<String> known) {
		return Stream.concat(NOT_HERE.stream(), known.stream())
			.filter((other) -> other.startsWith(prefix + "."))
			.anyMatch((other) -> ConfigurationPropertyName.of(other).isAncestorOf(name));
	}

}
