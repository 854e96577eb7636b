package io.lowkiq.codec;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

import io.lowkiq.PayloadException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.DeserializationProblemHandler;

/**
 * Notices a payload of another type: a bean that has none of the properties in the JSON
 * would be read with all its fields empty. Used for one payload.
 */
final class ForeignPayload extends DeserializationProblemHandler {

	/** Properties that the type of the payload doesn't have. */
	private final Set<String> unknown = new HashSet<>();

	private final Class<?> type;

	ForeignPayload(Class<?> type) {
		this.type = type;
	}

	/** A reader that tells this object what it ignores. */
	ObjectReader watch(ObjectReader reader) {
		return reader.withHandler(this);
	}

	@Override
	public boolean handleUnknownProperty(DeserializationContext context, JsonParser parser,
			ValueDeserializer<?> deserializer, Object beanOrClass, String propertyName) {
		if (deserializer != null && deserializer.handledType() == this.type) {
			this.unknown.add(propertyName);
		}
		return false;
	}

	/**
	 * @throws PayloadException if the payload is a bean that knows no property of its
	 * JSON, and there is one
	 */
	void failIfNothingIsKnown(PayloadParsers parsers, byte[] json) {
		if (this.unknown.isEmpty()) {
			return;
		}
		Set<String> names = new TreeSet<>();
		try (JsonParser parser = parsers.parser(json)) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				return;
			}
			while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
				if (!this.unknown.contains(parser.currentName())) {
					return;
				}
				names.add(parser.currentName());
				parser.nextToken();
				parser.skipChildren();
			}
		}
		throw new PayloadException(
				"The JSON is not that of a %s, which has none of its properties %s. Another application may be enqueueing jobs of its own into this queue"
					.formatted(this.type.getName(), names));
	}

}
