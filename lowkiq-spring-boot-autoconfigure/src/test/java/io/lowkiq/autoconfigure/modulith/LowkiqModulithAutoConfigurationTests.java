package io.lowkiq.autoconfigure.modulith;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.core.EventSerializer;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LowkiqModulithAutoConfigurationTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.datasource.generate-unique-name=true",
				"spring.modulith.events.jdbc.schema-initialization.enabled=true", "lowkiq.server.enabled=false");

	@Test
	void anEventOfACommittedTransactionBecomesAJob() {
		this.runner.run((context) -> {
			context.getBean(RedisStore.class).queues().register("orders", 2);
			publish(context, new OrderPaid("42"), false);
			publish(context, new OrderPaid("43"), true);
			await().atMost(LONG).until(() -> payloads(context, "42").equals(List.of("{\"orderId\":\"42\"}")));
			await().atMost(LONG).until(() -> incomplete(context) == 0);
			assertThat(payloads(context, "43")).isEmpty();
		});
	}

	@Test
	void anEventThatCannotBeEnqueuedStaysInTheRegistry() {
		this.runner.run((context) -> {
			publish(context, new OrderPaid("42"), false);
			await().atMost(LONG).until(() -> incomplete(context) == 1);
			context.getBean(RedisStore.class).queues().register("orders", 2);
			await().atMost(LONG).until(() -> {
				context.getBean(IncompleteEventPublications.class).resubmitIncompletePublications((each) -> true);
				return incomplete(context) == 0;
			});
			assertThat(payloads(context, "42")).containsExactly("{\"orderId\":\"42\"}");
		});
	}

	@Test
	void otherTargetsAreLeftAlone() {
		this.runner.run((context) -> {
			context.getBean(RedisStore.class).queues().register("invoices", 2);
			publish(context, new InvoiceSent("7"), false);
			await().atMost(LONG).until(() -> incomplete(context) == 0);
			assertThat(context.getBean(RedisStore.class).queues().find("orders")).isEmpty();
			assertThat(payloads(context, "invoices", "7")).isEmpty();
		});
	}

	@Test
	void eventsGoThroughTheOutboxOfModulith() {
		this.runner.withPropertyValues("spring.modulith.events.externalization.mode=outbox")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("lowkiqOutboxEventExternalizer")
				.doesNotHaveBean("lowkiqEventExternalizer"));
	}

	@Test
	void withoutModulithNothingIsLoaded() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
							LowkiqServerAutoConfiguration.class, LowkiqModulithAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.modulith"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lowkiqEventExternalizer"));
	}

	private static void publish(ApplicationContext context, Object event, boolean rollback) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult((status) -> {
			context.publishEvent(event);
			if (rollback) {
				status.setRollbackOnly();
			}
		});
	}

	private static long incomplete(ApplicationContext context) {
		Long count = context.getBean(JdbcTemplate.class)
			.queryForObject("select count(*) from event_publication where completion_date is null", Long.class);
		return (count != null) ? count : 0;
	}

	private static List<String> payloads(ApplicationContext context, String id) {
		return payloads(context, "orders", id);
	}

	private static List<String> payloads(ApplicationContext context, String queue, String id) {
		RedisStore store = context.getBean(RedisStore.class);
		QueueLayout layout = store.queues().find(queue).orElseThrow();
		return store.inspection()
			.find(layout.shardOf(id), JobView.State.QUEUED, id, 10)
			.map((job) -> job.payloads().stream().map((payload) -> new String(payload.bytes())).toList())
			.orElse(List.of());
	}

	@Externalized("lowkiq:orders::#{#this.orderId}")
	record OrderPaid(String orderId) {
	}

	@Externalized("invoices::#{#this.invoiceId}")
	record InvoiceSent(String invoiceId) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(MemoryStoreConfiguration.class)
	static class Application {

		@Bean
		EventSerializer eventSerializer() {
			JsonMapper mapper = JsonMapper.shared();
			return new EventSerializer() {

				@Override
				public Object serialize(Object event) {
					return mapper.writeValueAsString(event);
				}

				@Override
				public <T> T deserialize(Object serialized, Class<T> type) {
					return mapper.readValue((String) serialized, type);
				}

			};
		}

	}

}
