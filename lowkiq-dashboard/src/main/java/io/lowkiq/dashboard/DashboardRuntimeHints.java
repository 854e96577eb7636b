package io.lowkiq.dashboard;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Keeps the page, the scripts and the documents of the JSON API in a native image.
 */
class DashboardRuntimeHints implements RuntimeHintsRegistrar {

	/** The documents that are not part of {@link Views}. */
	private static final List<Class<?>> DOCUMENTS = List.of(ActionStatus.class, History.class, RedisFacts.class);

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/lowkiq/dashboard/**");
		BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();
		binding.registerReflectionHints(hints.reflection(), Views.class.getDeclaredClasses());
		binding.registerReflectionHints(hints.reflection(), DOCUMENTS.toArray(Class<?>[]::new));
	}

}
