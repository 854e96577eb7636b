package io.lowkiq.dashboard;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Decides what of a payload people see under {@code lowkiq.dashboard.payloads=masked}. A
 * bean of this type replaces {@link #values()}. Thread-safe.
 */
@FunctionalInterface
public interface PayloadMasker {

	/** Stands in the place of what is not shown. */
	String MASK = "•••";

	/** Masks a payload. */
	String mask(String queue, String id, String payload);

	/**
	 * Masks every value of a JSON document and keeps the names of the properties. A text
	 * that isn't JSON is masked as a whole.
	 */
	static PayloadMasker values() {
		JsonMapper mapper = JsonMapper.shared();
		return (queue, id, payload) -> {
			try {
				return mapper.writeValueAsString(masked(mapper.readTree(payload)));
			}
			catch (JacksonException ex) {
				return MASK;
			}
		};
	}

	private static JsonNode masked(JsonNode node) {
		if (node instanceof ObjectNode object) {
			object.propertyNames().stream().toList().forEach((name) -> object.set(name, masked(object.get(name))));
			return object;
		}
		if (node instanceof ArrayNode array) {
			for (int i = 0; i < array.size(); i++) {
				array.set(i, masked(array.get(i)));
			}
			return array;
		}
		return StringNode.valueOf(MASK);
	}

}
