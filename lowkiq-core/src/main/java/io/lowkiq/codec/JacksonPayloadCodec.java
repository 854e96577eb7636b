package io.lowkiq.codec;

import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Converts payloads to JSON and back with Jackson. The JSON is canonical: properties, map
 * entries, set elements and the properties of trees are sorted, so that equal payloads
 * have equal bytes.
 */
public final class JacksonPayloadCodec implements PayloadCodec {

	private final JsonMapper mapper;

	private final PayloadParsers parsers;

	/** By payload type; as many as there are workers. */
	private final Map<Type, TypeReader> readers = new ConcurrentHashMap<>();

	/** By payload type and class; as many as there are classes of payloads. */
	private final Map<WrittenType, ObjectWriter> writers = new ConcurrentHashMap<>();

	/**
	 * Creates a codec with Jackson's defaults and all Jackson modules on the class path.
	 */
	public JacksonPayloadCodec() {
		this(JsonMapper.builder().findAndAddModules().build());
	}

	/** Creates a codec with the modules and formats of a mapper. */
	public JacksonPayloadCodec(JsonMapper mapper) {
		this.mapper = mapper.rebuild()
			.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.disable(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST)
			.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
			.disable(SerializationFeature.INDENT_OUTPUT)
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
			.disable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
			.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
			.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
			.enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
			.disable(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
			.disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
			.deactivateDefaultTyping()
			.addModule(new SimpleModule("lowkiq").setSerializerModifier(new SortedContainers())
				.setDeserializerModifier(new UnknownPropertyReports()))
			.addModule(new SimpleModule("lowkiq-refusals").setSerializerModifier(new RefusedClasses()))
			.build();
		this.parsers = new PayloadParsers(this.mapper);
	}

	@Override
	public byte[] encode(Object payload, Type type) {
		try {
			byte[] bytes = this.writers.computeIfAbsent(new WrittenType(type, payload.getClass()), this::writer)
				.writeValueAsBytes(payload);
			this.parsers.checkDepth(bytes);
			return bytes;
		}
		catch (JacksonException | IllegalArgumentException ex) {
			throw new PayloadException(
					"A payload of %s can't be written as JSON: %s".formatted(payload.getClass().getName(), message(ex)),
					ex);
		}
	}

	/**
	 * With the worker's type arguments: they say which elements have to tell their
	 * subtype.
	 */
	private ObjectWriter writer(WrittenType written) {
		JavaType declared = this.mapper.constructType(written.type());
		return this.mapper
			.writerFor(this.mapper.getTypeFactory().constructSpecializedType(declared, written.actual(), true));
	}

	@Override
	public Object decode(byte[] bytes, Type type) {
		Object payload = read(bytes, type);
		if (payload == null) {
			throw new PayloadException(
					"The JSON is null where a payload of %s is expected".formatted(type.getTypeName()));
		}
		return payload;
	}

	private @Nullable Object read(byte[] bytes, Type type) {
		try {
			TypeReader reader = this.readers.computeIfAbsent(type, this::reader);
			ForeignPayload foreign = new ForeignPayload(reader.rawType());
			Object payload = foreign.watch(reader.reader()).readValue(this.parsers.parser(bytes));
			foreign.failIfNothingIsKnown(this.parsers, bytes);
			return payload;
		}
		catch (JacksonException | IllegalArgumentException ex) {
			throw new PayloadException(
					"%s bytes can't be read as JSON of %s: %s".formatted(bytes.length, type.getTypeName(), message(ex)),
					ex);
		}
	}

	private TypeReader reader(Type type) {
		JavaType constructed = this.mapper.constructType(type);
		return new TypeReader(this.mapper.readerFor(constructed), constructed.getRawClass());
	}

	/**
	 * Reads an empty object: only a type that Jackson can't make has a bad definition.
	 */
	@Override
	public void check(Type type) {
		check(this.mapper.constructType(type), new HashSet<>());
	}

	private void check(JavaType type, Set<JavaType> checked) {
		if (!checked.add(type)) {
			return;
		}
		if (type.isContainerType() || type.isReferenceType()) {
			check(type.getContentType(), checked);
			return;
		}
		try {
			this.mapper.readerFor(type).readValue(this.parsers.parser(new byte[] { '{', '}' }));
		}
		catch (InvalidDefinitionException ex) {
			throw new PayloadException(
					"JSON can't be read as %s: %s".formatted(type.toCanonical(), ex.getOriginalMessage()), ex);
		}
		catch (RuntimeException ex) {
			// It may be able to read other JSON
		}
	}

	private static @Nullable String message(RuntimeException ex) {
		return (ex instanceof JacksonException jackson) ? jackson.getOriginalMessage() : ex.getMessage();
	}

	private record TypeReader(ObjectReader reader, Class<?> rawType) {
	}

	private record WrittenType(Type type, Class<?> actual) {
	}

}
