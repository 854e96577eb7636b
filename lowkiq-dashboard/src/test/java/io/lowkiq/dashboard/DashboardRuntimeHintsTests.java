package io.lowkiq.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

class DashboardRuntimeHintsTests {

	/** As the AOT processing of an application collects them. */
	private static RuntimeHints hints() {
		RuntimeHints hints = new RuntimeHints();
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getPackageName().startsWith("io.lowkiq"))
			.forEach((registrar) -> registrar.registerHints(hints, DashboardRuntimeHintsTests.class.getClassLoader()));
		return hints;
	}

	@Test
	void everyResourceIsKept() throws Exception {
		RuntimeHints hints = hints();
		List<String> paths = Stream
			.of(new PathMatchingResourcePatternResolver().getResources("classpath*:io/lowkiq/dashboard/**/*.*"))
			.map(DashboardRuntimeHintsTests::path)
			.filter((path) -> !path.endsWith(".class"))
			.toList();
		assertThat(paths).anyMatch((path) -> path.endsWith(".html")).anyMatch((path) -> path.endsWith(".lua"));
		for (String path : paths) {
			assertThat(RuntimeHintsPredicates.resource().forResource(path)).as(path).accepts(hints);
		}
	}

	private static String path(Resource resource) {
		try {
			return resource.getURL().toString().replaceFirst(".*/(io/lowkiq/dashboard/.*)", "$1");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void everyDocumentCanBeWritten() {
		RuntimeHints hints = hints();
		List<Class<?>> nested = List.of(WhyNotPerformed.Answer.class, NodeActivity.ThreadActivity.class,
				PayloadText.class, ActionStatus.class, RedisFacts.class, History.class);
		Stream.concat(Stream.of(Views.class.getDeclaredClasses()), nested.stream())
			.forEach((type) -> assertThat(
					RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
				.as(type.getSimpleName())
				.accepts(hints));
	}

}
