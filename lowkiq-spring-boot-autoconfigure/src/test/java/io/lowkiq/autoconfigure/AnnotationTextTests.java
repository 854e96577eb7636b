package io.lowkiq.autoconfigure;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class AnnotationTextTests {

	private static final Map<String, String> REQUIRED = Map.of("id", "nightly", "cron", "@daily");

	static Stream<Method> texts() {
		return Stream.of(LowkiqWorker.class, LowkiqSchedule.class)
			.flatMap((type) -> Stream.of(type.getDeclaredMethods()))
			.filter((attribute) -> attribute.getReturnType() == String.class);
	}

	@ParameterizedTest
	@MethodSource("texts")
	void noPlaceholderIsTakenLiterally(Method attribute) {
		Class<?> worker = new ByteBuddy().subclass(Reports.class)
			.name("generated.Reports")
			.annotateType(annotation(LowkiqWorker.class, attribute), annotation(LowkiqSchedule.class, attribute))
			.make()
			.load(getClass().getClassLoader())
			.getLoaded();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class)
			.withBean("reports", worker)
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining(LowkiqConfigurationException.class.getName())
				.hasStackTraceContaining(" of the @" + attribute.getDeclaringClass().getSimpleName()));
	}

	private static AnnotationDescription annotation(Class<? extends Annotation> type, Method text) {
		AnnotationDescription.Builder builder = AnnotationDescription.Builder.ofType(type);
		for (Method attribute : type.getDeclaredMethods()) {
			String value = attribute.equals(text) ? "${no.such.property}" : REQUIRED.get(attribute.getName());
			builder = (value != null) ? builder.define(attribute.getName(), value) : builder;
		}
		return builder.build();
	}

	/** A worker without annotations. */
	public static class Reports implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return schedule;
		}

	}

}
