package io.lowkiq.codec;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.jdk.MapSerializer;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.type.MapType;

/**
 * Writes the elements of sets and the entries of maps in the order of their JSON,
 * whatever order they have in memory: equal sets and maps give equal JSON. Jackson has no
 * option for sets, and its {@code ORDER_MAP_ENTRIES_BY_KEYS} needs keys that can be
 * compared, and drops entries whose keys compare as equal.
 */
final class SortedContainers extends ValueSerializerModifier {

	private static final long serialVersionUID = 1L;

	@Override
	public ValueSerializer<?> modifyCollectionSerializer(SerializationConfig config, CollectionType type,
			BeanDescription.Supplier description, ValueSerializer<?> serializer) {
		Class<?> raw = type.getRawClass();
		boolean mayBeSet = Set.class.isAssignableFrom(raw) || raw.isAssignableFrom(Set.class);
		return mayBeSet ? new Sorted(serializer) : serializer;
	}

	@Override
	public ValueSerializer<?> modifyMapSerializer(SerializationConfig config, MapType type,
			BeanDescription.Supplier description, ValueSerializer<?> serializer) {
		return new Sorted(serializer);
	}

	/** Writes each value once: a second time, Jackson writes only its identity. */
	private static final class Sorted extends ValueSerializer<Object> {

		private final ValueSerializer<Object> serializer;

		private final boolean isOfMaps;

		@SuppressWarnings("unchecked")
		Sorted(ValueSerializer<?> serializer) {
			this.serializer = (ValueSerializer<Object>) serializer;
			this.isOfMaps = serializer instanceof MapSerializer;
		}

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			if (value instanceof Set<?> set && set.size() > 1) {
				writeSorted(json(value, context), generator, context);
			}
			else if (value instanceof Map<?, ?> map && map.size() > 1) {
				SortedMap<?, ?> sorted = this.isOfMaps ? byName(map) : null;
				if (sorted != null) {
					this.serializer.serialize(sorted, generator, context);
				}
				else {
					writeSorted(json(this.isOfMaps ? asItIs(map) : map, context), generator, context);
				}
			}
			else {
				this.serializer.serialize(value, generator, context);
			}
		}

		/** The same map in the order of its keys; null if they are not all strings. */
		private static @Nullable SortedMap<?, ?> byName(Map<?, ?> map) {
			if (!map.keySet().stream().allMatch(String.class::isInstance)) {
				return null;
			}
			return (map instanceof SortedMap<?, ?> sorted && sorted.comparator() == null) ? sorted : new TreeMap<>(map);
		}

		/** In its own order: Jackson would drop keys that compare as equal. */
		private static SortedMap<?, ?> asItIs(Map<?, ?> map) {
			IdentityHashMap<@Nullable Object, Integer> places = new IdentityHashMap<>();
			SortedMap<@Nullable Object, @Nullable Object> sorted = new TreeMap<>(
					(one, other) -> Integer.compare(places.getOrDefault(one, 0), places.getOrDefault(other, 0)));
			map.forEach((key, value) -> {
				places.put(key, places.size());
				sorted.put(key, value);
			});
			return sorted;
		}

		private String json(Object value, SerializationContext context) {
			StringWriter json = new StringWriter();
			try (JsonGenerator generator = context.tokenStreamFactory().createGenerator(context, json)) {
				this.serializer.serialize(value, generator, context);
			}
			return json.toString();
		}

		private static void writeSorted(String json, JsonGenerator generator, SerializationContext context) {
			try (JsonParser parser = context.tokenStreamFactory().createParser(ObjectReadContext.empty(), json)) {
				JsonToken begin = parser.nextToken();
				if (begin == JsonToken.START_ARRAY) {
					generator.writeStartArray();
					parts(parser, json).forEach((part) -> generator.writeRawValue(part.json()));
					generator.writeEndArray();
				}
				else if (begin == JsonToken.START_OBJECT) {
					generator.writeStartObject();
					parts(parser, json).forEach((part) -> generator.writeName(part.name()).writeRawValue(part.json()));
					generator.writeEndObject();
				}
				else {
					// A serializer of the application's own
					generator.writeRawValue(json);
				}
			}
		}

		private static List<Part> parts(JsonParser parser, String json) {
			List<Part> parts = new ArrayList<>();
			String name = "";
			for (JsonToken token = parser.nextToken(); token != null
					&& !token.isStructEnd(); token = parser.nextToken()) {
				if (token == JsonToken.PROPERTY_NAME) {
					name = parser.currentName();
				}
				else {
					int begin = (int) parser.currentTokenLocation().getCharOffset();
					parser.skipChildren();
					parser.finishToken();
					parts.add(new Part(name, json.substring(begin, (int) parser.currentLocation().getCharOffset())));
				}
			}
			parts.sort(Comparator.comparing(Part::name).thenComparing(Part::json));
			return parts;
		}

		/**
		 * A type's name is of the value itself, and JSON with such names is not sorted.
		 */
		@Override
		public void serializeWithType(Object value, JsonGenerator generator, SerializationContext context,
				TypeSerializer typeSerializer) {
			this.serializer.serializeWithType(value, generator, context, typeSerializer);
		}

		@Override
		public void resolve(SerializationContext context) {
			this.serializer.resolve(context);
		}

		@Override
		public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
			return around(this.serializer.createContextual(context, property));
		}

		@Override
		public ValueSerializer<?> withFilterId(Object filterId) {
			return around(this.serializer.withFilterId(filterId));
		}

		private Sorted around(ValueSerializer<?> other) {
			return (other != this.serializer) ? new Sorted(other) : this;
		}

		@Override
		public boolean isEmpty(SerializationContext context, Object value) {
			return this.serializer.isEmpty(context, value);
		}

		@Override
		public Class<?> handledType() {
			return this.serializer.handledType();
		}

		@Override
		public boolean usesObjectId() {
			return this.serializer.usesObjectId();
		}

		@Override
		public ValueSerializer<?> getDelegatee() {
			return this.serializer;
		}

		/** Of an array or object; without a name in an array. */
		private record Part(String name, String json) {
		}

	}

}
