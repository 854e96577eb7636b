package io.lowkiq.autoconfigure;

import org.springframework.core.ResolvableType;

import io.lowkiq.LowkiqWorker;

/**
 * A bean that is annotated with {@link LowkiqWorker}; without a scope for a singleton.
 */
record WorkerBean(String name, LowkiqWorker annotation, ResolvableType type, Class<?> userClass, String scope) {

	String describe() {
		return "Bean '%s' (%s)".formatted(this.name, this.type);
	}

}
