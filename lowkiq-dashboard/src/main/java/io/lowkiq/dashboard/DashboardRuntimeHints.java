package io.lowkiq.dashboard;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Keeps the files, the scripts and the documents of the dashboard in a native image.
 */
public final class DashboardRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/lowkiq/dashboard/**");
		Class<?>[] documents = Stream
			.concat(Stream.of(Views.class.getDeclaredClasses()), Stream.of(ActionStatus.class, AuditLog.Entry.class,
					History.class, PeriodHistory.class, RedisFacts.class))
			.toArray(Class<?>[]::new);
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), documents);
	}

}
