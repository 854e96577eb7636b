package io.lowkiq.autoconfigure;

import java.lang.reflect.Type;
import java.util.Optional;
import java.util.stream.Stream;

import org.springframework.core.ResolvableType;

import io.lowkiq.QueueWorker;

/** Finds the type of a worker's payloads. */
final class PayloadTypes {

	private PayloadTypes() {
	}

	/** The type argument of {@link QueueWorker}. */
	static Optional<Type> of(ResolvableType worker) {
		ResolvableType payload = worker.as(QueueWorker.class).getGeneric();
		if (payload.resolve() == null || payload.hasUnresolvableGenerics()) {
			return Optional.empty();
		}
		return Optional.of(closed(payload).getType());
	}

	/** Replaces the type variables that only the resolver of the type knows. */
	private static ResolvableType closed(ResolvableType type) {
		Class<?> raw = type.resolve(Object.class);
		if (raw.isArray() && type.getType() != raw) {
			return ResolvableType.forArrayComponent(closed(type.getComponentType()));
		}
		if (!type.hasGenerics()) {
			return ResolvableType.forClass(raw);
		}
		return ResolvableType.forClassWithGenerics(raw,
				Stream.of(type.getGenerics()).map(PayloadTypes::closed).toArray(ResolvableType[]::new));
	}

}
