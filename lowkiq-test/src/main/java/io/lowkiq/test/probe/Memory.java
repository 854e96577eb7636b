package io.lowkiq.test.probe;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;

/**
 * The memory of a worker from one rehearsal to the next: static fields, and, if the
 * factory returns the same worker each time, those of the instance. A starting node has
 * forgotten it, but a probe can't have it forgotten. Used by one thread.
 */
final class Memory {

	/** The contents of the fields that may change, as they are now. */
	private final List<Remembered> before;

	/** A field with its content, of an object or, with null, static. */
	private record Remembered(Field field, @Nullable Object owner, String text) {

		boolean isChanged() {
			return !content(this.field, this.owner).equals(this.text);
		}

		String describe() {
			return "%sfield '%s' of %s".formatted((this.owner == null) ? "static " : "", this.field.getName(),
					this.field.getDeclaringClass().getSimpleName());
		}

	}

	private Memory(List<Remembered> before) {
		this.before = before;
	}

	static Memory of(Supplier<?> workers) {
		Object worker = workers.get();
		boolean isSame = worker == workers.get();
		Class<?> type = AopProxyUtils.ultimateTargetClass(worker);
		List<Remembered> fields = new ArrayList<>();
		// The class around a lambda is its nest host
		Stream.concat(superclasses(type), Arrays.stream(type.getNestHost().getNestMembers()))
			.distinct()
			.flatMap((each) -> Arrays.stream(each.getDeclaredFields()))
			.filter((field) -> Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
			.forEach((field) -> add(fields, field, null));
		if (isSame && type == worker.getClass()) {
			superclasses(type).flatMap((each) -> Arrays.stream(each.getDeclaredFields()))
				.filter((field) -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
				.forEach((field) -> add(fields, field, worker));
		}
		return new Memory(fields);
	}

	private static Stream<Class<?>> superclasses(Class<?> type) {
		return Stream.<Class<?>>iterate(type, (each) -> each != null && each != Object.class, Class::getSuperclass);
	}

	private static void add(List<Remembered> fields, Field field, @Nullable Object owner) {
		try {
			field.setAccessible(true);
			fields.add(new Remembered(field, owner, content(field, owner)));
		}
		catch (RuntimeException ex) {
			// Of a module that is closed: it can't be named
		}
	}

	private static String content(Field field, @Nullable Object owner) {
		try {
			return String.valueOf(field.get(owner));
		}
		catch (IllegalAccessException | RuntimeException ex) {
			return "";
		}
	}

	/** Advice about the fields that have changed since; null if none has. */
	@Nullable String advice() {
		List<Remembered> changed = this.before.stream().filter(Remembered::isChanged).toList();
		if (changed.isEmpty()) {
			return null;
		}
		boolean isStatic = changed.stream().anyMatch((remembered) -> remembered.owner() == null);
		return "The %s remembers what was performed, which a node forgets when it starts. %s"
			.formatted(changed.stream().map(Remembered::describe).collect(Collectors.joining(", and the ")), isStatic
					? "Keep it in a field of the worker that is not static, so that the probe can have it forgotten"
					: "Let the factory return a new worker each time");
	}

}
