package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The settings of single queues, such as {@code lowkiq.workers.<queue>.shards}. The name
 * of a queue may have dots, dashes, underscores and upper case, and an environment
 * variable can't express them: it belongs to the queue that looks alike, unless that is
 * the very name of another.
 */
class QueueProperties<T> {

	private final Environment environment;

	private final ConfigurationPropertyName prefix;

	private final Class<T> type;

	/** By what is left of their names without case and punctuation. */
	private final Map<String, String> properties = new HashMap<>();

	/** The same for properties that are maps of objects. */
	private final Map<String, String> maps = new HashMap<>();

	/** The same for maps of values in nested objects. */
	private final Map<String, String> nestedMaps = new HashMap<>();

	/** In the order of precedence. */
	private final List<List<Entry>> sources = new ArrayList<>();

	/** With where they come from. */
	private final Map<String, @Nullable Origin> unknownProperties = new LinkedHashMap<>();

	/**
	 * A property of a queue in one source.
	 *
	 * @param index the index in a list, such as {@code [0]}, or empty
	 */
	private record Entry(String queue, boolean isExact, String property, String index, Object value) {
	}

	QueueProperties(Environment environment, String prefix, Class<T> type) {
		this.environment = environment;
		this.prefix = ConfigurationPropertyName.of(prefix);
		this.type = type;
		PropertyNames.of(type).forEach((name) -> this.properties.put(uniform(name), name));
		PropertyNames.ofMaps(type).forEach((name) -> this.maps.put(uniform(name), name));
		PropertyNames.ofNestedMaps(type).forEach((name) -> this.nestedMaps.put(uniform(name), name));
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				this.sources.add(entries(iterable));
			}
		}
	}

	private List<Entry> entries(IterableConfigurationPropertySource source) {
		List<Entry> entries = new ArrayList<>();
		if (source.getUnderlyingSource() instanceof EnumerablePropertySource<?> named
				&& !(named instanceof SystemEnvironmentPropertySource)) {
			// By its own names: those of a ConfigurationPropertySource that look alike
			// are equal
			for (String name : named.getPropertyNames()) {
				add(ConfigurationPropertyName.adapt(name, '.'), () -> PropertySourceOrigin.get(named, name),
						() -> named.getProperty(name), entries);
			}
			return entries;
		}
		for (ConfigurationPropertyName name : source) {
			add(name, null, () -> {
				ConfigurationProperty property = source.getConfigurationProperty(name);
				return (property != null) ? property.getValue() : null;
			}, entries);
		}
		return entries;
	}

	/** Adds a property; a source that can't spell every name has no origins. */
	private void add(ConfigurationPropertyName name, @Nullable Supplier<@Nullable Origin> origin,
			Supplier<@Nullable Object> value, List<Entry> entries) {
		if (!this.prefix.isAncestorOf(name)) {
			return;
		}
		boolean isExact = origin != null;
		int begin = this.prefix.getNumberOfElements();
		int end = name.getNumberOfElements();
		String index = "";
		while (end > begin && name.isNumericIndex(end - 1)) {
			end--;
			index = "[" + name.getElement(end, Form.ORIGINAL) + "]" + index;
		}
		for (int split = begin + 1; split < end - 2; split++) {
			String map = this.maps.get(uniform(text(name, split, split + 1)));
			Object found = (map != null) ? value.get() : null;
			if (map != null && found != null) {
				String property = "%s[%s].%s".formatted(map, text(name, split + 1, end - 1), text(name, end - 1, end));
				entries.add(new Entry(text(name, begin, split), isExact, property, index, found));
				return;
			}
		}
		for (int split = begin + 1; split <= end - 2; split++) {
			String map = this.nestedMaps.get(uniform(text(name, split, split + 2)));
			Object found = (map != null) ? value.get() : null;
			if (map != null && found != null) {
				// A key that is a number looks like an index
				String key = (split + 2 < end) ? "[" + text(name, split + 2, end) + "]" : "";
				entries.add(new Entry(text(name, begin, split), isExact, map + key + index, "", found));
				return;
			}
		}
		// The longest first: 'sync.group.rate' is not the rate of a queue 'sync.group'
		for (int split = begin + 1; split < end; split++) {
			String property = this.properties.get(uniform(text(name, split, end)));
			Object found = (property != null) ? value.get() : null;
			if (property != null && found != null) {
				entries.add(new Entry(text(name, begin, split), isExact, property, index, found));
				return;
			}
		}
		if (origin != null) {
			this.unknownProperties.put(name.toString(), origin.get());
		}
	}

	private static String text(ConfigurationPropertyName name, int begin, int end) {
		return IntStream.range(begin, end)
			.mapToObj((element) -> name.getElement(element, Form.ORIGINAL))
			.collect(Collectors.joining("."));
	}

	/** The settings of a queue. */
	T of(String queue, Collection<String> allQueues) {
		ConfigurationPropertyName root = this.prefix.append("[" + queue + "]");
		Map<String, Object> values = new LinkedHashMap<>();
		Set<String> found = new HashSet<>();
		for (List<Entry> source : this.sources) {
			source.stream()
				.filter((entry) -> belongs(entry, queue, allQueues))
				.collect(Collectors.groupingBy(Entry::property))
				.forEach((property, entries) -> {
					if (found.add(property)) {
						boolean isNamed = entries.stream().anyMatch((entry) -> entry.queue().equals(queue));
						entries.stream()
							.filter((entry) -> !isNamed || entry.queue().equals(queue))
							.forEach((entry) -> values.put(root + "." + property + entry.index(), entry.value()));
					}
				});
		}
		return new Binder(List.of(new MapConfigurationPropertySource(values)),
				new PropertySourcesPlaceholdersResolver(this.environment))
			.bindOrCreate(root.toString(), this.type);
	}

	private static boolean belongs(Entry entry, String queue, Collection<String> allQueues) {
		return entry.queue().equals(queue)
				|| (uniform(entry.queue()).equals(uniform(queue)) && !allQueues.contains(entry.queue()));
	}

	/**
	 * The names of the queues for which something is set, as the sources spell them; of
	 * those in the environment only what looks like none of the others.
	 */
	Set<String> queues() {
		Set<String> names = new LinkedHashSet<>();
		this.sources.forEach((source) -> source.stream().filter(Entry::isExact).map(Entry::queue).forEach(names::add));
		Set<String> alike = names.stream().map(QueueProperties::uniform).collect(Collectors.toSet());
		this.sources.forEach((source) -> source.stream()
			.map(Entry::queue)
			.filter((queue) -> alike.add(uniform(queue)))
			.forEach(names::add));
		return names;
	}

	/** The names for which something is set, but which belong to no queue. */
	List<String> unknownQueues(Collection<String> allQueues) {
		return this.sources.stream()
			.flatMap(List::stream)
			.filter((entry) -> allQueues.stream().noneMatch((queue) -> belongs(entry, queue, allQueues)))
			.map(Entry::queue)
			.distinct()
			.toList();
	}

	/** The full names of properties that a queue doesn't have, each with its origin. */
	Map<String, @Nullable Origin> unknownProperties() {
		return this.unknownProperties;
	}

	String prefix() {
		return this.prefix.toString();
	}

	/** The properties that a queue has, without its name. */
	Collection<String> known() {
		return this.properties.values();
	}

	private static String uniform(String name) {
		return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
	}

}
