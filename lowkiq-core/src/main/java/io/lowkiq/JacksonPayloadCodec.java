package io.lowkiq;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns payloads into JSON and back by Jackson. Canonical: properties and the entries of
 * maps are sorted, so that equal payloads give equal bytes. Properties that the payload
 * type doesn't have are ignored on reading. No type names are written, and none are read.
 */
public final class JacksonPayloadCodec implements PayloadCodec {

	private final JsonMapper mapper;

	/** By payload type; as many as there are workers. */
	private final Map<Type, ObjectReader> readers = new ConcurrentHashMap<>();

	/**
	 * A codec with Jackson's defaults.
	 */
	public JacksonPayloadCodec() {
		this(JsonMapper.shared());
	}

	/**
	 * A codec with the modules and formats of a mapper.
	 * @param mapper the mapper to begin with; what makes the JSON canonical is set on a
	 * copy of it
	 */
	public JacksonPayloadCodec(JsonMapper mapper) {
		this.mapper = mapper.rebuild()
			.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.disable(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST)
			.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
			.disable(SerializationFeature.INDENT_OUTPUT)
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.deactivateDefaultTyping()
			.build();
	}

	@Override
	public byte[] encode(Object payload) {
		try {
			return this.mapper.writeValueAsBytes(payload);
		}
		catch (JacksonException ex) {
			throw new PayloadException("A payload of %s can't be written as JSON: %s"
				.formatted(payload.getClass().getName(), ex.getOriginalMessage()), ex);
		}
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
			return this.readers.computeIfAbsent(type, (key) -> this.mapper.readerFor(this.mapper.constructType(key)))
				.readValue(bytes);
		}
		catch (JacksonException | IllegalArgumentException ex) {
			String message = (ex instanceof JacksonException jackson) ? jackson.getOriginalMessage() : ex.getMessage();
			throw new PayloadException(
					"%d bytes can't be read as JSON of %s: %s".formatted(bytes.length, type.getTypeName(), message),
					ex);
		}
	}

}
