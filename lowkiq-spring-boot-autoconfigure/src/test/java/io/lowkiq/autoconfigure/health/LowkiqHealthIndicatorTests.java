package io.lowkiq.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.autoconfigure.LowkiqAutoConfiguration;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.ServerStatus.RefusedQueue;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

class LowkiqHealthIndicatorTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final QueueRegistry queues = mock(QueueRegistry.class);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LowkiqAutoConfiguration.class, LowkiqHealthContributorAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	private long held;

	private List<String> stopped = List.of();

	private boolean isServing = true;

	private @Nullable String clock;

	private List<String> unserved = List.of();

	private Map<String, String> foreign = Map.of();

	private List<BackgroundLoop.Status> loops = List.of();

	@Test
	void queuesThatNoNodeServesAreADetail() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held()));
		assertThat(health(status).getDetails()).doesNotContainKey("queuesWithoutNode");
		this.unserved = List.of("old");
		assertThat(health(status).getDetails()).containsEntry("queuesWithoutNode", List.of("old"));
		assertThat(health(status).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aClockThatDiffersFromThatOfRedisIsADetail() {
		assertThat(health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held()))).getDetails())
			.doesNotContainKey("clock");
		this.clock = "40 s ahead of Redis";
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(health.getDetails()).containsEntry("clock", "40 s ahead of Redis");
		assertThat(health.getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void jobsOnHoldAreADetail() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of());
		assertThat(health(status).getDetails()).doesNotContainKey("jobsOnHold");
		this.held = 3;
		assertThat(health(status).getDetails()).containsEntry("jobsOnHold", 3L);
	}

	@Test
	void isUpWhileTheServerRuns() {
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("server", "running")
			.containsEntry("node", "node-1")
			.containsEntry("shardsHeld", 1);
		then(this.queues).shouldHaveNoInteractions();
	}

	@Test
	void isDownWhenTheServerHasFailed() {
		Health health = health(
				status(ServerStatus.State.FAILED, new OutOfMemoryError("heap"), null, List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("error")).asString().contains("OutOfMemoryError: heap");
	}

	@Test
	void isDownWhileTheStoreIsOutOfReach() {
		Health health = health(status(ServerStatus.State.RUNNING, null, "connection refused", List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("store", "connection refused");
	}

	@Test
	void asksTheStoreWhereNoServerRuns() {
		given(this.queues.all()).willThrow(new StoreException("connection refused", null));
		Health health = health(status(ServerStatus.State.STOPPED, null, null, List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("error")).asString().contains("connection refused");
	}

	@Test
	void isUpWhereNoServerRunsAndTheStoreAnswers() {
		given(this.queues.all()).willReturn(List.of());
		assertThat(health(status(ServerStatus.State.STOPPED, null, null, List.of(), List.of())).getStatus())
			.isEqualTo(Status.UP);
	}

	@Test
	void isDownWhenAShardStaysUnowned() {
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(),
				List.of(held(), unowned(PATIENCE.plusMillis(1)))));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("unownedShards", List.of("orders:1:1"));
	}

	@Test
	void isUpWhileAShardIsTransferred() {
		assertThat(health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held(), unowned(PATIENCE))))
			.getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void isUpWhenAnotherNodeHoldsAShard() {
		ShardStatus other = new ShardStatus(new Shard("orders", 1, 1), false, "another", 0, Instant.EPOCH);
		assertThat(health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(other))).getStatus())
			.isEqualTo(Status.UP);
	}

	@Test
	void isDownWhenAQueueIsRefused() {
		Health health = health(status(ServerStatus.State.RUNNING, null, null,
				List.of(new RefusedQueue("orders", "other number of shards")), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("refusedQueues", Map.of("orders", "other number of shards"));
	}

	@Test
	void isAutoConfigured() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(LowkiqHealthIndicator.class)
			.hasBean("lowkiqHealthIndicator"));
	}

	@Test
	void canBeSwitchedOff() {
		this.runner.withPropertyValues("management.health.lowkiq.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LowkiqHealthIndicator.class));
	}

	@Test
	void backsOffWithoutTheHealthModule() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lowkiqHealthIndicator"));
	}

	@Test
	void backsOffWhenLowkiqIsDisabled() {
		this.runner.withPropertyValues("lowkiq.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LowkiqHealthIndicator.class));
	}

	@Test
	void aFailingBackgroundTaskIsADetail() {
		this.loops = List.of(new BackgroundLoop.Status("schedules", true, NOW, "java.lang.IllegalStateException: why"),
				new BackgroundLoop.Status("morgue-retention", true, NOW, null));
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("failingTasks",
				Map.of("schedules", "java.lang.IllegalStateException: why"));
	}

	@Test
	void aStoppedQueueIsADetailAndItsShardsNeedNoOwner() {
		this.stopped = List.of("orders");
		Health health = health(
				status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(unowned(PATIENCE.plusMillis(1)))));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("stoppedQueues", List.of("orders"));
	}

	@Test
	void aQueueThatAnotherApplicationServesIsADetail() {
		this.foreign = Map.of("orders", "billing (com.acme.Invoice), shop (com.acme.Order)");
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("foreignQueues", this.foreign);
	}

	private Health health(ServerStatus status) {
		return new LowkiqHealthIndicator(() -> status, this.queues, InstantSource.fixed(NOW), PATIENCE, () -> this.held,
				() -> this.unserved, () -> this.foreign, () -> this.loops, this.isServing)
			.health();
	}

	@Test
	void producerHasNoServerThatIsStopped() {
		this.isServing = false;
		Health health = health(status(ServerStatus.State.STOPPED, null, null, List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("server", "none, this application only enqueues")
			.doesNotContainKey("node");
	}

	private ServerStatus status(ServerStatus.State state, @Nullable Throwable failure, @Nullable String storeProblem,
			List<RefusedQueue> refused, List<ShardStatus> shards) {
		return new ServerStatus(state, "node-1", null, null, failure, storeProblem, this.clock, refused, this.stopped,
				shards, List.of());
	}

	private static ShardStatus held() {
		return new ShardStatus(new Shard("orders", 1, 0), true, "session", 7, NOW);
	}

	private static ShardStatus unowned(Duration since) {
		return new ShardStatus(new Shard("orders", 1, 1), false, null, 0, NOW.minus(since));
	}

}
