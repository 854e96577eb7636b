package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.LayoutMismatchException;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class LowkiqServerLifecycleTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withBean(GatedWorker.class);

	/** A thread that has ended its work may live on for a moment. */
	@AfterEach
	void noThreadIsLeft() {
		await().untilAsserted(() -> assertThat(lowkiqThreads()).isEmpty());
	}

	@Test
	void performsWhatIsEnqueued() {
		this.runner.run((context) -> {
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
			GatedWorker worker = context.getBean(GatedWorker.class);
			await().untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
		});
	}

	@Test
	void aProducerEnqueuesAndHasNoThreads() {
		this.runner.withPropertyValues("lowkiq.server.enabled=false").run((context) -> {
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
			assertThat(lowkiqThreads()).isEmpty();
			assertThat(context.getBean(LowkiqServer.class).status().state()).isEqualTo(ServerStatus.State.STOPPED);
			assertThat(context.getBean(GatedWorker.class).performed).isEmpty();
		});
	}

	@Test
	void aServerWithoutWorkersIsNotStarted(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class)
			.run((context) -> {
				assertThat(context.getBean(LowkiqServer.class).isRunning()).isFalse();
				assertThat(output).contains("No bean is annotated with @LowkiqWorker");
			});
	}

	@Test
	void theServerIsWatchedForOtherApplications() {
		this.runner.withPropertyValues("spring.application.name=shop").run((context) -> {
			assertThat(context.getBean(QueueWatch.class).loop().isRunning()).isTrue();
			RedisStore store = context.getBean(RedisStore.class);
			await().untilAsserted(() -> assertThat(store.nodes().members().members())
				.extracting((member) -> member.info().application())
				.containsExactly("shop"));
		});
		this.runner.run((context) -> assertThat(context.getBean(QueueWatch.class).loop().isRunning()).isTrue());
	}

	@Test
	void theSecondOfTwoApplicationsLeavesAQueueUnlessItMayServeIt() {
		this.runner.withPropertyValues("spring.application.name=shop").run((first) -> {
			RedisStore store = first.getBean(RedisStore.class);
			await().until(() -> first.getBean(LowkiqServer.class).status().session() != null);
			ApplicationContextRunner second = new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
						LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
				.withBean(RedisStore.class, () -> store)
				.withBean("billing", NumberWorker.class)
				.withPropertyValues("spring.application.name=billing");
			second.run((context) -> {
				LowkiqClient client = context.getBean(LowkiqClient.class);
				await().until(() -> context.getBean(LowkiqServer.class).status().foreignQueues().containsKey("gated"));
				await().untilAsserted(() -> assertThatExceptionOfType(InvalidQueueException.class)
					.isThrownBy(() -> client.enqueue(NumberWorker.class, "42", 1))
					.withMessageContainingAll("application shop", "application billing",
							"lowkiq.workers.gated.shared=true"));
				assertThatExceptionOfType(InvalidQueueException.class)
					.isThrownBy(() -> client.enqueue("gated", "42", 1));
			});
			second.withPropertyValues("lowkiq.server.enabled=false")
				.run((context) -> context.getBean(LowkiqClient.class).enqueue(NumberWorker.class, "43", 1));
			second.withPropertyValues("lowkiq.workers.gated.shared=true").run((context) -> {
				LowkiqServer server = context.getBean(LowkiqServer.class);
				await().until(() -> server.status().shards().stream().anyMatch(ShardStatus::held));
				assertThat(server.status().foreignQueues()).isEmpty();
			});
		});
	}

	@LowkiqWorker("gated")
	static class NumberWorker implements Worker<Integer> {

		@Override
		public void perform(String id, List<Integer> payloads) {
		}

	}

	@Test
	void aStoppedLifecycleCanBeStartedAgain() {
		this.runner.run((context) -> {
			LowkiqServerLifecycle lifecycle = context.getBean(LowkiqServerLifecycle.class);
			GatedWorker worker = context.getBean(GatedWorker.class);
			lifecycle.stop();
			assertThat(lifecycle.isRunning()).isFalse();
			noThreadIsLeft();
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
			assertThat(worker.performed).isEmpty();
			lifecycle.start();
			assertThat(lifecycle.isRunning()).isTrue();
			await().untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
		});
	}

	@Test
	void closingTheContextWaitsForARunningJob() {
		this.runner.run((context) -> {
			GatedWorker worker = context.getBean(GatedWorker.class);
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "slow", "paid");
			assertThat(worker.entered.await(10, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<Void> closed = CompletableFuture.runAsync(context.getSourceApplicationContext()::close);
			LowkiqServer server = context.getBean(LowkiqServer.class);
			await().until(() -> server.status().state() == ServerStatus.State.STOPPING);
			assertThat(closed).isNotDone();
			worker.gate.countDown();
			closed.get(10, TimeUnit.SECONDS);
			assertThat(worker.performed).containsExactly("slow=paid");
		});
	}

	@Test
	void nothingIsFetchedOnceTheContextBeginsToClose() {
		List<ServerStatus.State> states = new CopyOnWriteArrayList<>();
		this.runner.withBean("probe", ClosingProbe.class, () -> new ClosingProbe(states)).run((context) -> {
			LowkiqServer server = context.getBean(LowkiqServer.class);
			await().until(() -> server.status().state() == ServerStatus.State.RUNNING);
			context.getBean(ClosingProbe.class).server = server;
			context.getSourceApplicationContext().close();
			assertThat(states).containsExactly(ServerStatus.State.STOPPING);
		});
	}

	@Test
	void theCloseOfAnotherContextIsIgnored() {
		this.runner.run((context) -> {
			context.publishEvent(new ContextClosedEvent(mock(ApplicationContext.class)));
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
			GatedWorker worker = context.getBean(GatedWorker.class);
			await().untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
		});
	}

	@Test
	void theCallbackIsCalledAlsoWhenNothingRuns() {
		this.runner.withPropertyValues("lowkiq.server.enabled=false").run((context) -> {
			CompletableFuture<Boolean> called = new CompletableFuture<>();
			context.getBean(LowkiqServerLifecycle.class).stop(() -> called.complete(true));
			assertThat(called).isCompletedWithValue(true);
		});
	}

	@Test
	void aJobThatOutlivesTheTimeoutDoesNotHoldUpTheClose(CapturedOutput output) {
		this.runner.withPropertyValues("lowkiq.server.shutdown-timeout=10ms").run((context) -> {
			context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "slow", "paid");
			assertThat(context.getBean(GatedWorker.class).entered.await(10, TimeUnit.SECONDS)).isTrue();
			context.getSourceApplicationContext().close();
			assertThat(output).contains("Jobs were still being performed after lowkiq.server.shutdown-timeout");
		});
	}

	@Test
	void aWorkerThatClosesTheContextIsNotWaitedFor(CapturedOutput output) {
		this.runner.withBean(ClosingWorker.class).run((context) -> {
			context.getBean(LowkiqClient.class).enqueue(ClosingWorker.class, "42", "now");
			ClosingWorker worker = context.getBean(ClosingWorker.class);
			await().atMost(Duration.ofMinutes(1)).until(() -> worker.closed.getCount() == 0);
			assertThat(output).containsOnlyOnce(
					"Not waiting for runs that shut this node down themselves. Their jobs will be performed again: ['42' of")
				.doesNotContain("Some runs have not ended", "Jobs were still being performed");
		});
	}

	@Test
	void publishesEvents() {
		List<LowkiqServerEvent> events = new CopyOnWriteArrayList<>();
		this.runner.withBean("events", EventRecorder.class, () -> new EventRecorder(events))
			.run((context) -> await()
				.untilAsserted(() -> assertThat(events).singleElement().isInstanceOf(LowkiqServerEvent.Started.class)));
		assertThat(events).hasExactlyElementsOfTypes(LowkiqServerEvent.Started.class, LowkiqServerEvent.Stopped.class);
	}

	@Test
	void failsOnAnotherNumberOfShards() {
		this.runner.withBean("recorder", QueueRecorder.class, QueueRecorder::new)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LayoutMismatchException.class));
	}

	@Test
	void startsWhileTheStoreIsOutOfReach(CapturedOutput output) {
		QueueRegistry away = mock(QueueRegistry.class);
		given(away.register(any())).willThrow(new StoreException("connection refused", null));
		RedisStore store = mock(RedisStore.class, delegatesTo(InMemoryRedis.newStore(InstantSource.system())));
		given(store.queues()).willReturn(away);
		this.runner.withBean("away", RedisStore.class, () -> store, (definition) -> definition.setPrimary(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(LowkiqServer.class).isRunning()).isTrue();
				assertThat(output).contains("The store can't be reached");
			});
	}

	@Test
	void warnsOfAShutdownPhaseThatIsTooShort(CapturedOutput output) {
		this.runner.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=25s")
			.run((context) -> assertThat(output)
				.contains("is not below spring.lifecycle.timeout-per-shutdown-phase (25 s)"));
	}

	@Test
	void doesNotWarnByDefault(CapturedOutput output) {
		this.runner.run((context) -> assertThat(output).doesNotContain("timeout-per-shutdown-phase"));
	}

	@Test
	void stopsAfterTheWebServerAndBeforeTheConnectionsToRedis() {
		assertThat(LowkiqServerLifecycle.PHASE).isLessThan(Integer.MAX_VALUE - 2048).isPositive();
	}

	private static List<String> lowkiqThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lowkiq"))
			.toList();
	}

	/** Ends the application. */
	@LowkiqWorker(queue = "closing")
	static class ClosingWorker implements Worker<String> {

		final CountDownLatch closed = new CountDownLatch(1);

		private final ApplicationContext context;

		ClosingWorker(ApplicationContext context) {
			this.context = context;
		}

		@Override
		public void perform(String id, List<String> payloads) {
			SpringApplication.exit(this.context);
			this.closed.countDown();
		}

	}

	/** Sees the server when the context closes, after the lifecycle was told. */
	static class ClosingProbe implements ApplicationListener<ContextClosedEvent>, org.springframework.core.Ordered {

		private final List<ServerStatus.State> states;

		private LowkiqServer server;

		ClosingProbe(List<ServerStatus.State> states) {
			this.states = states;
		}

		@Override
		public void onApplicationEvent(ContextClosedEvent event) {
			this.states.add(this.server.status().state());
		}

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE;
		}

	}

	/** Records the events of the server. */
	static class EventRecorder {

		private final List<LowkiqServerEvent> events;

		EventRecorder(List<LowkiqServerEvent> events) {
			this.events = events;
		}

		@EventListener
		void on(LowkiqServerEvent event) {
			this.events.add(event);
		}

	}

	/** Records the queue with another number of shards before the server starts. */
	static class QueueRecorder implements org.springframework.beans.factory.InitializingBean {

		@org.springframework.beans.factory.annotation.Autowired
		private RedisStore store;

		@Override
		public void afterPropertiesSet() {
			this.store.queues().register("gated", 7);
		}

	}

}
