package io.lowkiq.autoconfigure;

import tools.jackson.databind.json.JsonMapper;

/**
 * Changes how payloads are written as JSON, and read. Beans of this type are called in
 * their order, with Jackson's defaults and all modules on the class path in the builder.
 * What is written today has to be read by the servers of yesterday, and the other way
 * round: change what the JSON looks like only while the queues are empty.
 */
@FunctionalInterface
public interface LowkiqJsonMapperBuilderCustomizer {

	/**
	 * Customizes the builder of the mapper that Lowkiq has for itself. The settings that
	 * make equal payloads give equal bytes are made afterwards.
	 */
	void customize(JsonMapper.Builder builder);

}
