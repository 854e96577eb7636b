package io.lowkiq.autoconfigure;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

import io.lowkiq.autoconfigure.schedule.ScheduleTick;

/**
 * Lets payloads be written and read in a native image, with the subtypes that
 * {@code @JsonSubTypes} or {@code permits} name.
 */
class WorkerRuntimeHints implements BeanFactoryInitializationAotProcessor {

	private static final String SUBTYPES = "com.fasterxml.jackson.annotation.JsonSubTypes";

	private final BindingReflectionHintsRegistrar registrar = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		Set<Type> payloads = new LinkedHashSet<>();
		new WorkerBeans(beanFactory).find().forEach((bean) -> PayloadTypes.of(bean.type()).ifPresent(payloads::add));
		if (payloads.isEmpty()) {
			return null;
		}
		payloads.add(ScheduleTick.class);
		addSubtypes(payloads, beanFactory.getBeanClassLoader());
		return (context, code) -> this.registrar.registerReflectionHints(context.getRuntimeHints().reflection(),
				payloads.toArray(Type[]::new));
	}

	/** Adds the subtypes of all types that payloads may contain. */
	private void addSubtypes(Set<Type> payloads, @Nullable ClassLoader classLoader) {
		ReflectionHints reached = new ReflectionHints();
		List<Type> found = List.copyOf(payloads);
		while (!found.isEmpty()) {
			this.registrar.registerReflectionHints(reached, found.toArray(Type[]::new));
			found = reached.typeHints()
				.map((hint) -> ClassUtils.resolveClassName(hint.getType().getName(), classLoader))
				.flatMap(WorkerRuntimeHints::subtypes)
				.distinct()
				.filter(payloads::add)
				.toList();
		}
	}

	private static Stream<Type> subtypes(Class<?> type) {
		Class<?>[] permitted = type.getPermittedSubclasses();
		Stream<Type> sealed = (permitted != null) ? Stream.of(permitted) : Stream.empty();
		Stream<Type> named = MergedAnnotations.from(type)
			.stream(SUBTYPES)
			.flatMap((annotation) -> Stream.of(annotation.getAnnotationArray("value", Annotation.class)))
			.map((subtype) -> subtype.getClass("value"));
		return Stream.concat(sealed, named);
	}

}
