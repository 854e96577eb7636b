package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * The settings of single queues, such as {@code lowkiq.workers.<queue>.shards}. The name
 * of a queue may have dots, dashes, underscores and upper case, and an environment
 * variable can't express them: it belongs to the queue that looks alike, unless that is
 * the very name of another. The keys of maps, such as the ids of schedules, are found in
 * the same way.
 */
class QueueProperties<T> {

	/** The names of properties by their former ones. */
	private static final Map<String, String> RENAMED = Map.of("groups", "group.separator", "weight",
			"scheduler-weight");

	private final Environment environment;

	private final String prefix;

	private final Class<T> type;

	/** In the order of precedence. */
	private final List<Entry> entries = new ArrayList<>();

	private final List<PropertyNames.Found> unknownProperties = new ArrayList<>();

	/**
	 * A property of a queue in one source.
	 *
	 * @param property its name, where {@code *} is the key of a map
	 * @param key the key of the map as the source spells it, or the index in a list, or
	 * empty
	 */
	private record Entry(PropertyNames.Found found, String queue, String property, String key) {
	}

	QueueProperties(Environment environment, String prefix, Class<T> type) {
		this.environment = environment;
		this.prefix = prefix;
		this.type = type;
		List<String> present = PropertyNames.of(type).toList();
		List<String> names = Stream
			.concat(present.stream(),
					RENAMED.keySet().stream().filter((former) -> present.contains(RENAMED.get(former))))
			.toList();
		Pattern pattern = Pattern.compile(Pattern.quote(prefix + ".") + "(?<queue>\\[[^]]+]|.+?)\\.(?:"
				+ IntStream.range(0, names.size())
					.mapToObj((place) -> regex(names.get(place), place))
					.collect(Collectors.joining("|"))
				+ ")", Pattern.CASE_INSENSITIVE);
		PropertyNames.in(environment)
			.filter((found) -> found.name().startsWith(prefix + "."))
			.forEach((found) -> add(found, pattern.matcher(found.name()), names));
	}

	/** Finds a property as file and variables write it, and its key or index. */
	private static String regex(String name, int place) {
		String key = "\\.(?<key" + place + ">\\[[^]]+]|" + (name.contains("*") ? ".+?)" : "\\d+)");
		String text = name.replace(".*", "*").replace(".", "\\.").replace("-", "[._-]?").replace("*", key);
		return "(?<p" + place + ">" + text + (name.contains("*") ? ")" : "(?:" + key + ")?)");
	}

	private void add(PropertyNames.Found found, Matcher matcher, List<String> names) {
		if (!matcher.matches()) {
			this.unknownProperties.add(found);
			return;
		}
		int place = IntStream.range(0, names.size())
			.filter((each) -> matcher.group("p" + each) != null)
			.findFirst()
			.orElseThrow();
		String name = names.get(place);
		String present = RENAMED.get(name);
		if (present != null) {
			throw new LowkiqConfigurationException("%s is %s now".formatted(found.name(),
					found.name().substring(0, matcher.start("p" + place)) + present), "Rename the property");
		}
		this.entries.add(new Entry(found, unbracketed(matcher.group("queue")), name,
				unbracketed(Objects.requireNonNullElse(matcher.group("key" + place), ""))));
	}

	private static String unbracketed(String text) {
		return text.startsWith("[") ? text.substring(1, text.length() - 1) : text;
	}

	/**
	 * The settings of a queue.
	 * @param declared the keys of maps of objects that the application declares for it
	 */
	T of(String queue, Collection<String> allQueues, Collection<String> declared) {
		String root = this.prefix + "[" + queue + "]";
		Map<Integer, Map<String, Object>> sources = new TreeMap<>();
		// What is named exactly comes last, and so replaces what looks alike
		this.entries.stream()
			.filter((entry) -> belongs(entry, queue, allQueues))
			.sorted(Comparator
				.comparing((entry) -> entry.queue().equals(queue) && entry.key().equals(key(entry, declared))))
			.forEach((entry) -> {
				String key = entry.key().isEmpty() ? "" : "[" + key(entry, declared) + "]";
				String name = entry.property().contains("*") ? entry.property().replace(".*", key)
						: entry.property() + key;
				sources.computeIfAbsent(entry.found().place(), (place) -> new LinkedHashMap<>())
					.put(root + "." + name, entry.found().value());
			});
		return new Binder(sources.values()
			.stream()
			.<ConfigurationPropertySource>map(MapConfigurationPropertySource::new)
			.toList(), new PropertySourcesPlaceholdersResolver(this.environment)).bindOrCreate(root, this.type);
	}

	/** A declared key that looks alike, else one of a source that can spell it. */
	private String key(Entry entry, Collection<String> declared) {
		Stream<String> spelled = this.entries.stream()
			.filter((other) -> !other.found().isVariable() && other.property().equals(entry.property())
					&& isAlike(other.queue(), entry.queue()))
			.map(Entry::key);
		return (entry.property().contains("*.") ? alike(entry.key(), declared) : Optional.<String>empty())
			.or(() -> alike(entry.key(), spelled.toList()))
			.orElse(entry.key());
	}

	static Optional<String> alike(String name, Collection<String> names) {
		return names.contains(name) ? Optional.of(name)
				: names.stream().filter((other) -> isAlike(other, name)).findFirst();
	}

	/** Whether two names are equal but for case and punctuation. */
	private static boolean isAlike(String one, String other) {
		return PropertyNames.uniform(one).equals(PropertyNames.uniform(other));
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
		this.entries.stream().sorted(Comparator.comparing((entry) -> entry.found().isVariable())).forEach((entry) -> {
			if (!entry.found().isVariable() || alike(entry.queue(), names).isEmpty()) {
				names.add(entry.queue());
			}
		});
		return names;
	}

	/** The names for which something is set, but which belong to no queue. */
	List<String> unknownQueues(Collection<String> allQueues) {
		return this.entries.stream()
			.filter((entry) -> allQueues.stream().noneMatch((queue) -> belongs(entry, queue, allQueues)))
			.map(Entry::queue)
			.distinct()
			.toList();
	}

	/** Set under the prefix, but no properties of a queue. */
	List<PropertyNames.Found> unknownProperties() {
		return this.unknownProperties;
	}

	/** The meanings that a name may have; dots may be part of the name of the queue. */
	Stream<String> candidates(String name) {
		List<String> elements = List.of(name.split("\\."));
		return IntStream.range(this.prefix.split("\\.").length + 1, elements.size())
			.mapToObj((end) -> String.join(".", elements.subList(0, end)) + ".")
			.flatMap((queue) -> PropertyNames.of(this.type).filter((known) -> !known.contains("*")).map(queue::concat));
	}

}
