package io.lowkiq.codec;

import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.ValueDeserializerModifier;

/**
 * Has unknown properties reported, even if they are ignored by an annotation, so that
 * {@link ForeignPayload} notices them.
 */
final class UnknownPropertyReports extends ValueDeserializerModifier {

	private static final long serialVersionUID = 1L;

	@Override
	public BeanDeserializerBuilder updateBuilder(DeserializationConfig config, BeanDescription.Supplier description,
			BeanDeserializerBuilder builder) {
		builder.setIgnoreUnknownProperties(false);
		return builder;
	}

}
