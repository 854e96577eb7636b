package io.lowkiq.codec;

import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.deser.DeserializationContextExt;
import tools.jackson.databind.json.JsonMapper;

/** Parsers with the limits of writers: what is enqueued can be read. Thread-safe. */
final class PayloadParsers {

	/** Jackson's default for both directions. */
	static final int MAX_DEPTH = StreamReadConstraints.DEFAULT_MAX_DEPTH;

	private final JsonFactory factory;

	private final JsonMapper mapper;

	PayloadParsers(JsonMapper mapper) {
		this.mapper = mapper;
		JsonFactory original = mapper.tokenStreamFactory();
		this.factory = original.rebuild()
			.streamReadConstraints(StreamReadConstraints.builder()
				.maxNestingDepth(MAX_DEPTH)
				.maxNumberLength(Integer.MAX_VALUE)
				.maxStringLength(Integer.MAX_VALUE)
				.maxNameLength(Integer.MAX_VALUE)
				.maxDocumentLength(-1)
				.maxTokenCount(-1)
				.build())
			.build();
	}

	/** A parser as the mapper makes it, so that deserializers can read values by it. */
	JsonParser parser(byte[] json) {
		DeserializationContextExt context = this.mapper._deserializationContext();
		return context.assignAndReturnParser(this.factory.createParser(context, json));
	}

	/**
	 * Jackson checks the depth when it writes, but begins again within a set or map.
	 * @throws StreamConstraintsException if it is too deep to be read
	 */
	void checkDepth(byte[] json) {
		int depth = 0;
		boolean inText = false;
		for (int i = 0; i < json.length; i++) {
			byte character = json[i];
			if (inText && character == '\\') {
				i++;
			}
			else if (character == '"') {
				inText = !inText;
			}
			else if (!inText && (character == '{' || character == '[')) {
				if (++depth > MAX_DEPTH) {
					throw new StreamConstraintsException("It is nested more than %s levels deep".formatted(MAX_DEPTH));
				}
			}
			else if (!inText && (character == '}' || character == ']')) {
				depth--;
			}
		}
	}

}
