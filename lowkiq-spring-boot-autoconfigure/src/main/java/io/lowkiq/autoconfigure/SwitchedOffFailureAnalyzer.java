package io.lowkiq.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Says that a bean is missing because Lowkiq is switched off. */
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
class SwitchedOffFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final Environment environment;

	SwitchedOffFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
		ResolvableType type = cause.getResolvableType();
		if (type == null || !type.toClass().getName().startsWith("io.lowkiq.")
				|| this.environment.getProperty("lowkiq.enabled", Boolean.class, true)) {
			return null;
		}
		return new FailureAnalysis(
				"A bean of type %s is needed, but lowkiq.enabled is false, so there is none: %s"
					.formatted(type.toClass().getName(), rootFailure.getMessage()),
				"Remove lowkiq.enabled=false, or inject ObjectProvider<%s>. To only enqueue, set lowkiq.server.enabled=false instead."
					.formatted(type.toClass().getSimpleName()),
				cause);
	}

}
