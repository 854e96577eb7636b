package io.lowkiq.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

import static org.assertj.core.api.Assertions.assertThat;

class PayloadTypeHintsTests {

	@Test
	void payloadTypesAndWhatTheyConsistOfCanBeBoundInANativeImage() throws Exception {
		RuntimeHints hints = process(Workers.class);
		for (Class<?> type : List.of(Order.class, Line.class, Letter.class)) {
			assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
				.as(type.getSimpleName())
				.accepts(hints);
			assertThat(RuntimeHintsPredicates.reflection()
				.onMethodInvocation(type.getDeclaredMethod(type.getRecordComponents()[0].getName()))).accepts(hints);
		}
	}

	private static RuntimeHints process(Class<?> configuration) {
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("com.example", "App")), new InMemoryGeneratedFiles());
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(configuration);
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		return generation.getRuntimeHints();
	}

	record Order(List<Line> lines) {
	}

	record Line(String article, int count) {
	}

	record Letter(String text) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Workers {

		@Bean
		OrderWorker orders() {
			return new OrderWorker();
		}

		@Bean
		LetterWorker letters() {
			return new LetterWorker();
		}

	}

	@LowkiqWorker
	static class OrderWorker implements Worker<List<Order>> {

		@Override
		public void perform(String id, List<List<Order>> payloads) {
		}

	}

	@LowkiqWorker
	static class LetterWorker implements BatchWorker<Letter> {

		@Override
		public void perform(Batch<Letter> batch) {
		}

	}

}
