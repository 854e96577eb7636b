package io.lowkiq.autoconfigure;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
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

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** What a native image keeps, by the hints that are made ahead of time. */
class RuntimeHintsTests {

	record Address(String city) {
	}

	record Order(String id, List<Address> addresses) {
	}

	static final class Mail {

		private String subject = "";

		public String getSubject() {
			return this.subject;
		}

		public void setSubject(String subject) {
			this.subject = subject;
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(value = Card.class, name = "card"),
			@JsonSubTypes.Type(value = Transfer.class, name = "transfer") })
	interface Payment {

	}

	record Card(String number) implements Payment {
	}

	record Transfer(Bank bank) implements Payment {
	}

	sealed interface Bank permits HouseBank, ForeignBank {

	}

	record HouseBank(String branch) implements Bank {
	}

	record ForeignBank(Address address) implements Bank {
	}

	record Booking(List<Payment> payments) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Workers {

		@Bean
		@LowkiqWorker(queue = "bookings")
		Worker<Booking> bookingWorker() {
			return (id, bookings) -> {
			};
		}

		@Bean
		@LowkiqWorker(queue = "orders")
		Worker<List<Order>> orderWorker() {
			return (id, orders) -> {
			};
		}

		@Bean
		@LowkiqWorker(queue = "mails")
		Worker<Mail> mailWorker() {
			return (id, mails) -> {
			};
		}

	}

	private static RuntimeHints process() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(Workers.class, MemoryStoreConfiguration.class, LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get("test", "Application")), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			return generation.getRuntimeHints();
		}
	}

	@Test
	void payloadsOfAllWorkersCanBeWrittenAndRead() throws NoSuchMethodException {
		RuntimeHints hints = process();
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "addresses")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Address.class, "city")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(Address.class.getDeclaredConstructor(String.class))).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Mail.class, "setSubject")).accepts(hints);
	}

	@Test
	void subtypesThatAreNamedCanBeWrittenAndRead() {
		RuntimeHints hints = process();
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Card.class, "number")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Transfer.class, "bank")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(HouseBank.class, "branch")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(ForeignBank.class, "address")).accepts(hints);
	}

	@Test
	void scriptsAreKept() {
		RuntimeHints hints = process();
		for (String script : List.of("enqueue", "complete-and-fetch", "lib/producers")) {
			assertThat(RuntimeHintsPredicates.resource().forResource("io/lowkiq/redis/" + script + ".lua"))
				.accepts(hints);
		}
	}

}
