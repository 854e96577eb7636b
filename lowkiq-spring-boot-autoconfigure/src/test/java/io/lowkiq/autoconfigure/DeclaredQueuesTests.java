package io.lowkiq.autoconfigure;

import java.time.InstantSource;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lowkiq.LayoutMismatchException;
import io.lowkiq.LowkiqClient;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class DeclaredQueuesTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withBean(RedisStore.class, () -> this.store)
		.withPropertyValues("lowkiq.server.enabled=false");

	@Test
	void aProducerMayDeclareAQueueBeforeTheFirstServerRuns() {
		this.runner.run((context) -> assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> context.getBean(LowkiqClient.class).enqueue("mail.out", "42", "text"))
			.withMessageContaining("lowkiq.queues.mail.out.shards"));
		this.runner.withPropertyValues("lowkiq.queues.mail.out.shards=7").run((context) -> {
			assertThat(this.store.queues().find("mail.out")).as("before the first job").isEmpty();
			context.getBean(LowkiqClient.class).enqueue("mail.out", "42", "text");
			assertThat(this.store.queues().find("mail.out")).map(QueueLayout::shards).contains(7);
		});
	}

	@Test
	void aBeanDeclaresAQueue() {
		this.runner.withBean(QueueDeclaration.class, () -> new QueueDeclaration("mails", 7)).run((context) -> {
			context.getBean(LowkiqClient.class).enqueue("mails", "42", "text");
			assertThat(this.store.queues().find("mails")).map(QueueLayout::shards).contains(7);
		});
	}

	@Test
	void aDeclarationWithAnotherNumberOfShardsStopsTheStart() {
		this.store.queues().register("mails", 5);
		this.runner.withPropertyValues("lowkiq.queues.mails.shards=7")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LayoutMismatchException.class)
				.hasMessageContaining("declared with 7 shards here, but recorded with 5"));
	}

	@Test
	void aProducerWhoseWorkerHasAnotherNumberOfShardsDoesNotStart() {
		this.store.queues().register("OrderWorker", 7);
		this.runner.withUserConfiguration(WorkerDiscoveryTests.OrderWorker.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LayoutMismatchException.class)
				.hasMessageContaining("declared with 5 shards here, but recorded with 7"));
	}

	@Test
	void theSameNumberOfShardsIsFineAndTheStartWritesNothing() {
		this.store.queues().register("mails", 7);
		this.runner.withUserConfiguration(WorkerDiscoveryTests.OrderWorker.class)
			.withPropertyValues("lowkiq.queues.mails.shards=7")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(this.store.queues().all()).extracting(QueueLayout::name).containsExactly("mails");
			});
	}

	@Test
	void aStoreThatIsAwayStopsNothing(CapturedOutput output) {
		QueueRegistry away = mock(QueueRegistry.class);
		given(away.all()).willThrow(new StoreException("connection refused", null));
		new DeclaredQueues(List.of(new QueueDeclaration("mails", 7)), new WorkerRegistry(List.of()), false, away)
			.start();
		assertThat(output).contains("checked when jobs are enqueued: connection refused");
	}

	@Test
	void twoDeclarationsThatDifferStopTheStart() {
		this.runner.withUserConfiguration(WorkerDiscoveryTests.OrderWorker.class)
			.withPropertyValues("lowkiq.queues.OrderWorker.shards=7")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessage("Queue 'OrderWorker' is declared with 7 shards and with 5 shards"));
	}

	@Test
	void aProducerDeclaresOneShardPerGroup() {
		this.runner
			.withPropertyValues("lowkiq.queues.sync.shards=7", "lowkiq.queues.sync.group.separator=:",
					"lowkiq.queues.sync.one-shard-per-group=true")
			.run((context) -> {
				context.getBean(LowkiqClient.class).enqueue("sync", "acme:42", "text");
				assertThat(this.store.queues().find("sync")).contains(new QueueLayout("sync", 1, 7, ":"));
			});
		this.runner.withPropertyValues("lowkiq.queues.sync.shards=7")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LayoutMismatchException.class)
				.hasMessageContaining("7 shards and one-shard-per-group with the separator ':' in the store"));
		this.runner
			.withPropertyValues("lowkiq.queues.sync.group.separator=:", "lowkiq.queues.sync.one-shard-per-group=true")
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("lowkiq.queues.sync has one-shard-per-group, but no shards"));
	}

	@ParameterizedTest
	@CsvSource({ "one-shard-per-group=true, has one of group.separator and one-shard-per-group=true",
			"group.separator=:, has one of group.separator and one-shard-per-group=true",
			"one-shard-per-group=:, Failed to bind properties under 'lowkiq.queues.sync.one-shard-per-group'" })
	void halfOfTheGroupsStopsTheStart(String property, String message) {
		this.runner.withPropertyValues("lowkiq.queues.sync.shards=7", "lowkiq.queues.sync." + property)
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(message));
	}

	@Test
	void aBadDeclarationStopsTheStart() {
		this.runner.withPropertyValues("lowkiq.queues.mails.shards=0")
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(
					"LowkiqConfigurationException: shards of queue 'mails' is 0; it must be between 1 and 65536"));
	}

}
