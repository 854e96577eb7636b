package io.lowkiq.autoconfigure;

import java.util.Map;
import java.util.stream.Stream;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.ResolvableType;

/**
 * The properties of a record or a flat JavaBean, without their prefix and with dashes.
 */
final class PropertyNames {

	private PropertyNames() {
	}

	/**
	 * The names have the form {@code schedules.*.cron}, with {@code *} for a map's key.
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

}
