package io.lowkiq.autoconfigure;

import java.util.Set;

import org.springframework.core.ResolvableType;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;

/**
 * A bean that is annotated with {@link LowkiqWorker}.
 *
 * @param schedules those of the {@code @Bean} method and of the class
 * @param scope the name of its scope; empty for a singleton
 */
record WorkerBean(String name, LowkiqWorker annotation, Set<LowkiqSchedule> schedules, ResolvableType type,
		Class<?> userClass, String scope) {

	String describe() {
		return "Bean '%s' (%s)".formatted(this.name, this.type);
	}

}
