package io.lowkiq.autoconfigure;

import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.BindConstructorProvider;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * The names of the properties that are bound to a type, without their prefix and with
 * dashes.
 */
final class PropertyNames {

	private PropertyNames() {
	}

	/** The names of all properties, such as {@code retry.multiplier}, except maps. */
	static Stream<String> of(Class<?> type) {
		return properties(type).filter((property) -> !property.isMap())
			.flatMap((property) -> property.isNested()
					? of(property.type()).map((nested) -> property.name() + "." + nested) : Stream.of(property.name()));
	}

	/** The names of the properties that are maps. */
	static Stream<String> ofMaps(Class<?> type) {
		return properties(type).filter(Property::isMap).map(Property::name);
	}

	/** The names of the maps in nested objects, such as {@code group.weights}. */
	static Stream<String> ofNestedMaps(Class<?> type) {
		return properties(type).filter(Property::isNested)
			.flatMap((property) -> ofMaps(property.type()).map((nested) -> property.name() + "." + nested));
	}

	private static Stream<Property> properties(Class<?> type) {
		Constructor<?> constructor = BindConstructorProvider.DEFAULT.getBindConstructor(type, false);
		if (constructor != null) {
			return Stream.of(constructor.getParameters()).map(Property::of);
		}
		return Stream.of(BeanUtils.getPropertyDescriptors(type))
			.filter((property) -> property.getPropertyType() != Class.class)
			.map((property) -> Property.of(property.getName(), property.getPropertyType(),
					property.getWriteMethod() == null && !BeanUtils.isSimpleProperty(property.getPropertyType())));
	}

	private record Property(String name, Class<?> type, boolean isNested) {

		static Property of(Parameter parameter) {
			return of(parameter.getName(), parameter.getType(), parameter.getType().isRecord());
		}

		static Property of(String name, Class<?> type, boolean isNested) {
			return new Property(DataObjectPropertyName.toDashedForm(name), type, isNested);
		}

		boolean isMap() {
			return Map.class.isAssignableFrom(this.type);
		}

	}

}
