package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
 * the very name of another. The keys of maps, such as the ids of schedules, are found in
 * the same way.
 */
class QueueProperties<T> {

	/** The names of properties by their former ones. */
	private static final Map<String, String> RENAMED = Map.of("groups", "group.separator", "weight", "scheduler-weight");

	private final Environment environment;

	private final ConfigurationPropertyName prefix;

	private final Class<T> type;

	/** The names of the properties, where {@code *} is the key of a map. */
	private final List<String> names;

	/** In the order of precedence. */
	private final List<List<Entry>> sources = new ArrayList<>();

	/** With where they come from. */
	private final Map<String, @Nullable Origin> unknownProperties = new LinkedHashMap<>();

	/**
	 * A property of a queue in one source.
	 *
	 * @param key the key of the map as the source spells it, or empty
	 * @param index the index in a list, such as {@code [0]}, or empty
	 */
	private record Entry(String queue, boolean isExact, String property, String key, String index, Object value) {
	}

	QueueProperties(Environment environment, String prefix, Class<T> type) {
		this.environment = environment;
		this.prefix = ConfigurationPropertyName.of(prefix);
		this.type = type;
		this.names = PropertyNames.of(type).toList();
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
		int begin = this.prefix.getNumberOfElements();
		List<String> elements = IntStream.range(begin, name.getNumberOfElements())
			.mapToObj((element) -> name.getElement(element, Form.ORIGINAL))
			.toList();
		int end = elements.size();
		while (end > 0 && name.isNumericIndex(begin + end - 1)) {
			end--;
		}
		String index = elements.subList(end, elements.size())
			.stream()
			.map("[%s]"::formatted)
			.collect(Collectors.joining());
		// The longest first: 'sync.group.rate' is not the rate of a queue 'sync.group'
		for (int split = 1; split < elements.size(); split++) {
			for (String property : this.names) {
				// A key that is a number looks like an index
				boolean isMap = property.contains("*");
				String key = key(elements.subList(split, Math.max(split, isMap ? elements.size() : end)), property);
				if (key != null) {
					Object found = value.get();
					if (found != null) {
						entries.add(new Entry(String.join(".", elements.subList(0, split)), origin != null, property,
								key, isMap ? "" : index, found));
					}
					return;
				}
			}
		}
		if (!elements.isEmpty()) {
			refuseFormer(name, uniform(elements.get(elements.size() - 1)));
		}
		if (origin != null) {
			this.unknownProperties.put(name.toString(), origin.get());
		}
	}

	private void refuseFormer(ConfigurationPropertyName name, String last) {
		String present = RENAMED.get(last);
		if (present != null && this.names.contains(present)) {
			throw new LowkiqConfigurationException("%s is %s now".formatted(name, name.getParent().append(present)),
					"Rename the property");
		}
	}

	/**
	 * The key that stands for the {@code *} of a property.
	 * @return the key, empty if the property has none; null if the elements are not of
	 * the property
	 */
	private static @Nullable String key(List<String> elements, String property) {
		String[] parts = property.split("\\.\\*", -1);
		if (parts.length == 1) {
			return isAlike(String.join("", elements), property) ? "" : null;
		}
		for (int begin = 1; begin < elements.size(); begin++) {
			for (int end = begin + 1; end <= elements.size(); end++) {
				if (isAlike(String.join("", elements.subList(0, begin)), parts[0])
						&& isAlike(String.join("", elements.subList(end, elements.size())), parts[1])) {
					return String.join(".", elements.subList(begin, end));
				}
			}
		}
		return null;
	}

	/**
	 * The settings of a queue.
	 * @param declared the keys of maps of objects that the application declares for it
	 */
	T of(String queue, Collection<String> allQueues, Collection<String> declared) {
		ConfigurationPropertyName root = this.prefix.append("[" + queue + "]");
		Map<String, Object> values = new LinkedHashMap<>();
		Set<String> found = new HashSet<>();
		for (List<Entry> source : this.sources) {
			source.stream()
				.filter((entry) -> belongs(entry, queue, allQueues))
				.collect(Collectors.groupingBy((entry) -> entry.property() + key(entry, declared)))
				.forEach((property, entries) -> {
					if (found.add(property)) {
						String key = key(entries.get(0), declared);
						List<Entry> named = entries.stream()
							.filter((entry) -> entry.queue().equals(queue) && entry.key().equals(key))
							.toList();
						(named.isEmpty() ? entries : named).forEach((entry) -> values.put(
								root + "." + entry.property().replace(".*", "[" + key + "]") + entry.index(),
								entry.value()));
					}
				});
		}
		return new Binder(List.of(new MapConfigurationPropertySource(values)),
				new PropertySourcesPlaceholdersResolver(this.environment))
			.bindOrCreate(root.toString(), this.type);
	}

	/** A declared key that looks alike, else one of a source that can spell it. */
	private String key(Entry entry, Collection<String> declared) {
		Collection<String> spelled = this.sources.stream()
			.flatMap(List::stream)
			.filter((other) -> other.isExact() && other.property().equals(entry.property())
					&& isAlike(other.queue(), entry.queue()))
			.map(Entry::key)
			.toList();
		return (entry.property().contains("*.") ? alike(entry.key(), declared) : Optional.<String>empty())
			.or(() -> alike(entry.key(), spelled))
			.orElse(entry.key());
	}

	static Optional<String> alike(String name, Collection<String> names) {
		return names.contains(name) ? Optional.of(name)
				: names.stream().filter((other) -> isAlike(other, name)).findFirst();
	}

	private static boolean belongs(Entry entry, String queue, Collection<String> allQueues) {
		return entry.queue().equals(queue) || (isAlike(entry.queue(), queue) && !allQueues.contains(entry.queue()));
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

	/** The properties that a queue has, without its name and without maps. */
	Collection<String> known() {
		return this.names.stream().filter((name) -> !name.contains("*")).toList();
	}

	/** Whether two names are equal but for case and punctuation. */
	static boolean isAlike(String one, String other) {
		return uniform(one).equals(uniform(other));
	}

	private static String uniform(String name) {
		return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
	}

}
