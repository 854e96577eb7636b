package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PayloadCodec;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.health.LowkiqHealthContributorAutoConfiguration;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** One image with three roles. */
@ExtendWith(OutputCaptureExtension.class)
class ServedQueuesTests {

	private final ApplicationContextRunner image = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
						LowkiqServerAutoConfiguration.class, LowkiqHealthContributorAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class, Workers.class);

	@Configuration(proxyBeanMethods = false)
	static class Workers {

		@Bean
		@LowkiqWorker(queue = "orders", shards = 2)
		Worker<String> orders() {
			return (id, payloads) -> {
			};
		}

		@Bean
		@LowkiqWorker(queue = "mail.in", shards = 2)
		Worker<String> mailIn() {
			return (id, payloads) -> {
			};
		}

		@Bean
		MailOut mailOut() {
			return new MailOut();
		}

	}

	@LowkiqWorker(queue = "mail.out", shards = 2)
	static final class MailOut implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	private static Map<String, Long> served(ApplicationContext context) {
		Map<String, Long> shards = new TreeMap<>();
		context.getBean(LowkiqServer.class)
			.status()
			.shards()
			.forEach((shard) -> shards.merge(shard.shard().queue(), 1L, Long::sum));
		return shards;
	}

	@Test
	void serversServeTheQueuesOfTheirRole() {
		this.image.withPropertyValues("lowkiq.server.queues.include=mail*")
			.run((context) -> await()
				.untilAsserted(() -> assertThat(served(context)).isEqualTo(Map.of("mail.in", 2L, "mail.out", 2L))));
		this.image.withPropertyValues("lowkiq.server.queues.exclude=mail.in,orders")
			.run((context) -> await()
				.untilAsserted(() -> assertThat(served(context)).isEqualTo(Map.of("mail.out", 2L))));
		this.image.run((context) -> await()
			.untilAsserted(() -> assertThat(served(context)).containsOnlyKeys("mail.in", "mail.out", "orders")));
	}

	@Test
	void everyRoleEnqueuesIntoEveryQueue() {
		for (String role : List.of("lowkiq.server.enabled=false", "lowkiq.server.queues.include=orders")) {
			this.image.withPropertyValues(role).run((context) -> {
				context.getBean(LowkiqClient.class).enqueue(MailOut.class, "42", "hello");
				RedisStore store = context.getBean(RedisStore.class);
				assertThat(Stream.of(store.queues().find("mail.out").orElseThrow())
					.flatMap((layout) -> store.inspection().counts(layout.allShards()).stream())
					.mapToLong((counts) -> counts.fresh())
					.sum()).isEqualTo(1);
			});
		}
	}

	@Test
	void roleThatServesNothingHasNoServer(CapturedOutput output) {
		this.image.withPropertyValues("lowkiq.server.queues.exclude=*").run((context) -> {
			assertThat(context.getBean(LowkiqServer.class).status().state()).isEqualTo(ServerStatus.State.STOPPED);
			assertThat(output).containsPattern(
					"WARN .* lowkiq.server.queues leaves none of the queues .*'mail.in'.* to serve, so this node performs nothing");
			assertThat(context.getBean(HealthIndicator.class).health().getDetails().get("server")).asString()
				.startsWith("none, lowkiq.server.queues leaves none");
		});
	}

	@Test
	void roleThatServesNothingIsRefusedWithFailFast() {
		this.image.withPropertyValues("lowkiq.server.queues.exclude=*", "lowkiq.fail-fast=true")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("lowkiq.server.queues leaves none"));
		this.image
			.withPropertyValues("lowkiq.server.queues.exclude=*", "lowkiq.fail-fast=true",
					"lowkiq.server.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void namesOfNoQueueAreWarnedOf(CapturedOutput output) {
		this.image.withPropertyValues("lowkiq.server.queues.include=mial*,orders")
			.run((context) -> assertThat(output).contains(
					"lowkiq.server.queues.include names queues that no worker of this application serves: [mial*]"));
	}

	@Test
	void theInternalQueuesOfAQueueAreServedWithIt() {
		WorkerRegistry all = new WorkerRegistry(List.of(worker("orders", null), worker("invoices", null),
				worker(InternalQueue.RECORDS.nameFor("orders"), new JacksonPayloadCodec()),
				worker(InternalQueue.RECORDS.nameFor("invoices"), new JacksonPayloadCodec())));
		LowkiqProperties.Server roles = LowkiqPropertiesTests.bind(Map.of("lowkiq.server.queues.include", "orders"))
			.server();
		assertThat(ServedWorkers.of(all, roles).registry().all()).extracting(RegisteredWorker::queue)
			.containsExactlyInAnyOrder("orders", "orders.records");
	}

	private static RegisteredWorker worker(String queue, @Nullable PayloadCodec ownCodec) {
		return new RegisteredWorker(queue, MailOut.class, String.class, RegisteredWorker.Settings.DEFAULTS,
				MailOut::new, ownCodec);
	}

}
