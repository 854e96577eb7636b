package io.lowkiq.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

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
import io.lowkiq.store.Build;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueStatistics.QueueCounts;
import io.lowkiq.store.inspection.QueueStatistics.Snapshot;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class LowkiqHealthIndicatorTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/** A shard that this node doesn't hold. */
	private static final Shard OTHER = new Shard("orders", 1, 1);

	private final AtomicLong nanoTime = new AtomicLong();

	private final UnownedShards unownedShards = new UnownedShards(this.nanoTime::get, PATIENCE);

	/** How often the store was read. */
	private int readings;

	private @Nullable StoreException storeFailure;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LowkiqAutoConfiguration.class, LowkiqHealthContributorAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	private long held;

	private List<Shard> unowned = List.of();

	private List<String> stopped = List.of();

	private @Nullable String idleBecause;

	private @Nullable String clock;

	private List<String> unserved = List.of();

	private List<String> forgotten = List.of();

	private Map<String, String> foreign = Map.of();

	private int answersLeft = Integer.MAX_VALUE;

	private SortedMap<String, String> left = new TreeMap<>();

	private Map<String, String> unreadable = Map.of();

	private Map<String, String> versions = Map.of();

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
			.containsEntry("shardsHeld", 1L);
	}

	@Test
	void isDownWhenTheServerHasFailed() {
		Health health = health(
				status(ServerStatus.State.FAILED, new OutOfMemoryError("heap"), null, List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("error")).asString().contains("OutOfMemoryError: heap");
	}

	@Test
	void isDownWhileTheStoreIsOutOfReachAndDoesNotWaitForIt() {
		Health health = health(status(ServerStatus.State.RUNNING, null, "connection refused", List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("store", "connection refused");
		assertThat(this.readings).isZero();
	}

	@Test
	void asksTheStoreWhereNoServerRuns() {
		this.storeFailure = new StoreException("connection refused", null);
		Health health = health(status(ServerStatus.State.STOPPED, null, null, List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("error")).asString().contains("connection refused");
	}

	@Test
	void waitsForAStoreThatHangsOnlyOnce() {
		this.storeFailure = new StoreException("timed out", null);
		health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(this.readings).isOne();
	}

	@Test
	void waitsOnlyOnceForAStoreThatBeginsToHangBetweenTwoReadings() {
		this.answersLeft = 1;
		health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(this.readings).isEqualTo(2);
	}

	@Test
	void isUpWhereNoServerRunsAndTheStoreAnswers() {
		assertThat(health(status(ServerStatus.State.STOPPED, null, null, List.of(), List.of())).getStatus())
			.isEqualTo(Status.UP);
	}

	@Test
	void isDownWhenAShardStaysUnowned() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held(), notHeld()));
		this.unowned = List.of(OTHER);
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
		Health health = health(status);
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("unownedShards", List.of("orders:1:1"));
	}

	@Test
	void isUpWhileAShardIsTransferred() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held(), notHeld()));
		this.unowned = List.of(OTHER);
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos());
		assertThat(health(status).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aShardThatWasOwnedMeanwhileHasAllItsTimeAgain() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held(), notHeld()));
		this.unowned = List.of(OTHER);
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos());
		this.unowned = List.of();
		health(status);
		this.unowned = List.of(OTHER);
		this.nanoTime.addAndGet(PATIENCE.toNanos());
		assertThat(health(status).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void isUpWhenAnotherNodeHoldsAShardThatThisOneGaveAwayLongAgo() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held(), notHeld()));
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
		assertThat(health(status).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void shardsOfQueuesThatThisNodeDoesNotServeAreNoMatterOfItsHealth() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held()));
		this.unowned = List.of(OTHER);
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
		assertThat(health(status).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void nodesOfOtherVersionsAreADetail() {
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held()));
		assertThat(health(status).getDetails()).doesNotContainKey("otherVersions");
		this.versions = Map.of("node-2", "9.9.9");
		assertThat(health(status).getDetails()).containsEntry("otherVersions", this.versions);
		assertThat(health(status).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void livingNodesOfOtherVersionsAreNamedWithTheirs() {
		this.runner.run((context) -> {
			NodeRegistry nodes = context.getBean(InspectableStore.class).nodes();
			Map.of("same", Build.THIS, "newer", new Build("9.9.9", Set.of(1, 2)), "old", Build.UNKNOWN)
				.forEach((node, build) -> nodes.join(node, new NodeInfo(node, 0, Duration.ofSeconds(15),
						Set.of("orders"), false, "", Map.of(), build, Set.of(), Set.of())));
			assertThat(context.getBean(LowkiqHealthIndicator.class).health().getDetails())
				.containsEntry("otherVersions", Map.of("newer", "9.9.9", "old", "unknown"));
		});
	}

	@Test
	void aShardOfANewerVersionIsADetail() {
		ShardStatus newer = new ShardStatus(OTHER, false, null, 0, Instant.EPOCH, true);
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held(), newer));
		this.unowned = List.of(OTHER);
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
		Health health = health(status);
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("newerShards", List.of("orders:1:1"))
			.doesNotContainKey("unownedShards");
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
		this.unowned = List.of(OTHER);
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(notHeld()));
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
		Health health = health(status);
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("stoppedQueues", List.of("orders"));
	}

	@Test
	void shardsThatAreLeftToAnotherApplicationNeedNoOwnerHere() {
		this.left.put("orders", "application billing");
		this.unowned = List.of(OTHER);
		ServerStatus status = status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(notHeld()));
		health(status);
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
		assertThat(health(status).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aQueueThatAnotherApplicationServesIsADetail() {
		this.foreign = Map.of("orders", "billing (com.acme.Invoice), shop (com.acme.Order)");
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("foreignQueues", this.foreign);
	}

	@Test
	void whatRedisHasForgottenIsADetail() {
		this.forgotten = List.of("Redis has forgotten everything");
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("forgotten", this.forgotten);
	}

	@Test
	void jobsThatThisNodeCannotReadAreADetail() {
		this.unreadable = Map.of("orders",
				"1 job: '42' has been unreadable for 5s and is dead in 14m55s. No enum constant");
		Health health = health(status(ServerStatus.State.RUNNING, null, null, List.of(), List.of(held())));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("unreadableJobs", this.unreadable);
	}

	private Health health(ServerStatus status) {
		return new LowkiqHealthIndicator(() -> status, () -> read(counts()), this.unownedShards,
				() -> read(this.unserved), () -> read(this.foreign), () -> this.versions, () -> read(this.forgotten),
				() -> this.loops, this.idleBecause)
			.health();
	}

	private <T> T read(T result) {
		this.readings++;
		if (this.storeFailure != null) {
			throw this.storeFailure;
		}
		if (this.answersLeft-- <= 0) {
			throw new StoreException("timed out", null);
		}
		return result;
	}

	private Snapshot counts() {
		return new Snapshot(NOW,
				List.of(new QueueCounts("orders", 2, 0, 0, 0, this.held, 0, 0, 0, 0, 0, this.unowned, 0)));
	}

	@Test
	void producerHasNoServerThatIsStopped() {
		this.idleBecause = "this application only enqueues";
		Health health = health(status(ServerStatus.State.STOPPED, null, null, List.of(), List.of()));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("server", "none, this application only enqueues")
			.doesNotContainKey("node");
	}

	private ServerStatus status(ServerStatus.State state, @Nullable Throwable failure, @Nullable String storeProblem,
			List<RefusedQueue> refused, List<ShardStatus> shards) {
		return new ServerStatus(state, "node-1", null, null, failure, storeProblem, this.clock, refused, this.stopped,
				this.left, shards, List.of(), this.unreadable);
	}

	private static ShardStatus held() {
		return new ShardStatus(new Shard("orders", 1, 0), true, "session", 7, NOW, false);
	}

	private static ShardStatus notHeld() {
		return new ShardStatus(OTHER, false, null, 0, Instant.EPOCH, false);
	}

}
