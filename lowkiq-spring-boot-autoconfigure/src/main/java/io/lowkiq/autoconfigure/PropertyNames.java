package io.lowkiq.autoconfigure;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The names of properties: of a type, as sources spell them, and as they look alike. */
final class PropertyNames {

	/** Below this, a suggestion confuses. */
	private static final double LEAST = 0.5;

	/** Set by Kubernetes for services whose names begin with ours. */
	private static final Pattern OF_SERVICES = Pattern
		.compile("LOWKIQ(_\\w+)?_(SERVICE_(HOST|PORT(_\\w+)?)|PORT(_\\d+_(TCP|UDP|SCTP)(_\\w+)?)?)");

	private PropertyNames() {
	}

	/**
	 * A property of Lowkiq that is set.
	 *
	 * @param name with each key in brackets after a dot; of a variable, in lower case and
	 * with dots
	 * @param spelled the name as the source spells it
	 * @param place the place of the source, 0 for the first
	 */
	record Found(String name, String spelled, EnumerablePropertySource<?> source, int place) {

		/** Whether it is a variable of the environment, which can't spell every name. */
		boolean isVariable() {
			return this.source instanceof SystemEnvironmentPropertySource;
		}

		@Nullable Object value() {
			return this.source.getProperty(this.spelled);
		}

		@Nullable Origin origin() {
			return PropertySourceOrigin.get(this.source, this.spelled);
		}

	}

	/** All properties of Lowkiq that are set, in the order of precedence. */
	static Stream<Found> in(Environment environment) {
		List<PropertySource<?>> sources = ((ConfigurableEnvironment) environment).getPropertySources()
			.stream()
			.toList();
		return IntStream.range(0, sources.size())
			.boxed()
			.flatMap((place) -> (sources.get(place) instanceof EnumerablePropertySource<?> source)
					? Stream.of(source.getPropertyNames()).map((name) -> found(name, source, place)) : Stream.empty())
			.filter((found) -> found.name().startsWith("lowkiq.") && !OF_SERVICES.matcher(found.spelled()).matches());
	}

	private static Found found(String spelled, EnumerablePropertySource<?> source, int place) {
		String name = (source instanceof SystemEnvironmentPropertySource)
				? spelled.toLowerCase(Locale.ROOT).replace('_', '.') : spelled;
		return new Found(name.replace(".[", "[").replace("[", ".["), spelled, source, place);
	}

	/**
	 * The names of all properties of a record or a flat JavaBean, with dashes, such as
	 * {@code retry.max-interval}; {@code *} stands for the key of a map, as in
	 * {@code schedules.*.cron}.
	 */
	static Stream<String> of(Class<?> type) {
		return type.isRecord() ? suffixes(ResolvableType.forClass(type)).map((name) -> name.substring(1))
				: Stream.of(BeanUtils.getPropertyDescriptors(type))
					.filter((property) -> property.getWriteMethod() != null)
					.map((property) -> DataObjectPropertyName.toDashedForm(property.getName()));
	}

	private static Stream<String> suffixes(ResolvableType type) {
		Class<?> raw = type.resolve(Object.class);
		if (raw == Map.class) {
			return suffixes(type.getGeneric(1)).map(".*"::concat);
		}
		return !raw.isRecord() ? Stream.of("")
				: Stream.of(raw.getRecordComponents())
					.flatMap((part) -> suffixes(ResolvableType.forType(part.getGenericType()))
						.map((suffix) -> "." + DataObjectPropertyName.toDashedForm(part.getName()) + suffix));
	}

	/** Equal for names that differ only in case and punctuation. */
	static String uniform(String name) {
		return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
	}

	/** The name that somebody who misspelt a property may have meant. */
	static Optional<String> similar(String misspelt, Stream<String> known) {
		return known.map((name) -> Map.entry(name, similarity(misspelt, name)))
			.filter((candidate) -> candidate.getValue() >= LEAST)
			.max(Map.Entry.<String, Double>comparingByValue()
				.thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
			.map(Map.Entry::getKey);
	}

	/** The share of the pairs of characters that both have after what they begin with. */
	private static double similarity(String one, String other) {
		int begin = 0;
		for (int dot = one.indexOf('.'); dot > 0
				&& other.startsWith(one.substring(0, dot + 1)); dot = one.indexOf('.', dot + 1)) {
			begin = dot + 1;
		}
		Set<String> pairs = pairs(one.substring(begin));
		Set<String> common = pairs(other.substring(begin));
		double all = pairs.size() + common.size();
		common.retainAll(pairs);
		return 2 * common.size() / all;
	}

	private static Set<String> pairs(String text) {
		String plain = text.replace('-', '.');
		return IntStream.range(1, plain.length())
			.mapToObj((i) -> plain.substring(i - 1, i + 1))
			.collect(Collectors.toSet());
	}

}
