package io.lowkiq.codec;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Modifier;
import java.nio.channels.Channel;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/**
 * Refuses classes whose content would be lost without a word: functions, streams,
 * threads, and those with fields that write no property.
 */
final class RefusedClasses extends ValueSerializerModifier {

	private static final long serialVersionUID = 1L;

	private static final List<Class<?>> WITHOUT_CONTENT = List.of(InputStream.class, OutputStream.class, Reader.class,
			Writer.class, Channel.class, BaseStream.class, Thread.class, ThreadGroup.class, ThreadLocal.class,
			Executor.class, Future.class, Process.class, ClassLoader.class);

	/** They may not be there. */
	private static final Set<String> WITHOUT_CONTENT_BY_NAME = Set.of("kotlin.Function",
			"com.fasterxml.jackson.databind.JsonNode", "org.reactivestreams.Publisher");

	@Override
	public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier description,
			ValueSerializer<?> serializer) {
		Class<?> type = description.getBeanClass();
		if (!serializer.getClass().getName().startsWith("tools.jackson.databind.")) {
			return serializer;
		}
		boolean isRefused = hasNoContent(type) || (!serializer.properties().hasNext() && isOfBeans(serializer)
				&& (isFunction(type) || hasFields(type)));
		return isRefused ? new Refusal(type) : serializer;
	}

	private static boolean hasNoContent(Class<?> type) {
		return WITHOUT_CONTENT.stream().anyMatch((refused) -> refused.isAssignableFrom(type))
				|| hierarchy(type).anyMatch((ancestor) -> WITHOUT_CONTENT_BY_NAME.contains(ancestor.getName()));
	}

	private static Stream<Class<?>> hierarchy(Class<?> type) {
		Stream<Class<?>> above = Stream.concat(Stream.ofNullable(type.getSuperclass()),
				Arrays.stream(type.getInterfaces()));
		return Stream.concat(Stream.of(type), above.flatMap(RefusedClasses::hierarchy));
	}

	/** Not of values such as numbers, texts and enums. */
	private static boolean isOfBeans(ValueSerializer<?> serializer) {
		return serializer instanceof BeanSerializerBase || serializer instanceof UnknownSerializer;
	}

	private static boolean isFunction(Class<?> type) {
		return type.isHidden() || type.isSynthetic()
				|| hierarchy(type).anyMatch((ancestor) -> ancestor.getPackageName().equals("java.util.function")
						|| ancestor == Runnable.class || ancestor == Callable.class);
	}

	private static boolean hasFields(Class<?> type) {
		return hierarchy(type).flatMap((ancestor) -> Arrays.stream(ancestor.getDeclaredFields()))
			.anyMatch((field) -> !Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers())
					&& !field.isSynthetic());
	}

	/** Writes nothing, but says why. */
	private static final class Refusal extends ValueSerializer<Object> {

		private final Class<?> type;

		Refusal(Class<?> type) {
			this.type = type;
		}

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			context.reportBadDefinition(this.type,
					"JSON can't keep what a %s has. Enqueue its data, as a record or a class with getters"
						.formatted(this.type.getName()));
		}

		@Override
		public void serializeWithType(Object value, JsonGenerator generator, SerializationContext context,
				TypeSerializer typeSerializer) {
			serialize(value, generator, context);
		}

	}

}
