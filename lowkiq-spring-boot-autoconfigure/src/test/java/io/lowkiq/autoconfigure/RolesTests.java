package io.lowkiq.autoconfigure;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A deployment of one image in three roles, {@code web}, {@code orders} and {@code mail},
 * that share a Redis.
 */
class RolesTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	/** By which role each payload was performed. Written by performing threads. */
	private final Map<String, String> performed = new ConcurrentHashMap<>();

	private final ApplicationContextRunner image = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withBean("store", RedisStore.class, () -> this.store,
				// It outlives the contexts
				(definition) -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
		.withBean("performed", Map.class, () -> this.performed)
		.withBean(OrderWorker.class)
		.withBean(InvoiceMailWorker.class)
		.withBean(NewsMailWorker.class);

	private final ApplicationContextRunner web = this.image.withPropertyValues("role=web",
			"lowkiq.server.enabled=false");

	private final ApplicationContextRunner orders = this.image.withPropertyValues("role=orders",
			"lowkiq.server.queues.include=orders");

	private final ApplicationContextRunner mail = this.image.withPropertyValues("role=mail",
			"lowkiq.server.queues.include=mail.*");

	abstract static class Noting implements Worker<String> {

		@Value("#{@performed}")
		private Map<String, String> performed = Map.of();

		@Value("${role}")
		private String role = "";

		@Override
		public void perform(String id, List<String> payloads) {
			payloads.forEach((payload) -> this.performed.put(payload, this.role));
		}

	}

	@LowkiqWorker(queue = "orders", shards = 2)
	static class OrderWorker extends Noting {

	}

	@LowkiqWorker(queue = "mail.invoices", shards = 2)
	static class InvoiceMailWorker extends Noting {

	}

	@LowkiqWorker(queue = "mail.news", shards = 2)
	static class NewsMailWorker extends Noting {

	}

	private static void enqueueAll(ApplicationContext role) {
		String name = role.getEnvironment().getRequiredProperty("role");
		LowkiqClient client = role.getBean(LowkiqClient.class);
		client.enqueue(OrderWorker.class, "42", "order from " + name);
		client.enqueue(InvoiceMailWorker.class, "42", "invoice from " + name);
		client.enqueue(NewsMailWorker.class, "42", "news from " + name);
	}

	@Test
	void eachRoleEnqueuesEverywhereAndPerformsWhatIsItsOwn() {
		this.web.run((frontend) -> {
			enqueueAll(frontend);
			assertThat(this.performed).isEmpty();
			this.orders.run((ordering) -> this.mail.run((mailing) -> {
				enqueueAll(ordering);
				enqueueAll(mailing);
				await().untilAsserted(() -> assertThat(this.performed).hasSize(9));
				assertThat(frontend.getBean(LowkiqServer.class).status().state()).isEqualTo(ServerStatus.State.STOPPED);
			}));
		});
		for (String from : List.of("web", "orders", "mail")) {
			assertThat(this.performed).containsEntry("order from " + from, "orders")
				.containsEntry("invoice from " + from, "mail")
				.containsEntry("news from " + from, "mail");
		}
	}

	@Test
	void queuesOfARoleThatIsAwayWaitForIt() {
		this.web.run(RolesTests::enqueueAll);
		this.orders.run((ordering) -> {
			await().untilAsserted(() -> assertThat(this.performed).containsKey("order from web"));
			assertThat(this.performed).containsOnlyKeys("order from web");
		});
		this.mail.run((mailing) -> await()
			.untilAsserted(() -> assertThat(this.performed).containsEntry("news from web", "mail")
				.containsEntry("invoice from web", "mail")));
	}

}
