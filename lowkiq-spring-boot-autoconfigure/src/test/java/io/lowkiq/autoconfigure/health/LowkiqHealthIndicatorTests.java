package io.lowkiq.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.StoreException;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.ServerStatus.RefusedQueue;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.engine.ServerStatus.State;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.metrics.QueueStatistics.QueueCounts;
import io.lowkiq.metrics.QueueStatistics.Snapshot;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.MemoryStoreConfiguration;
import io.lowkiq.testing.TestQueue;
import org.assertj.core.api.MapAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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
				AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
						LowkiqServerAutoConfiguration.class, LowkiqHealthContributorAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	private long held;

	private List<Shard> unowned = List.of();

	private List<String> stopped = List.of();

	private @Nullable String idleBecause;

	private @Nullable String clock;

	private List<String> found = List.of();

	private int answersLeft = Integer.MAX_VALUE;

	private SortedMap<String, String> left = new TreeMap<>();

	private Map<String, String> unreadable = Map.of();

	private List<BackgroundLoop.Status> loops = List.of();

	private @Nullable Throwable failure;

	private @Nullable String storeProblem;

	private List<RefusedQueue> refused = List.of();

	@Test
	void whatPeopleShouldKnowIsADetail() {
		thenUp(held()).doesNotContainKey("found");
		this.found = List.of("old");
		thenUp(held()).containsEntry("found", List.of("old"));
	}

	@Test
	void aClockThatDiffersFromThatOfRedisIsADetail() {
		thenUp(held()).doesNotContainKey("clock");
		this.clock = "40 s ahead of Redis";
		thenUp(held()).containsEntry("clock", "40 s ahead of Redis");
	}

	@Test
	void jobsOnHoldAreADetail() {
		thenUp().doesNotContainKey("jobsOnHold");
		this.held = 3;
		thenUp().containsEntry("jobsOnHold", 3L);
	}

	@Test
	void isUpWhileTheServerRuns() {
		thenUp(held()).containsEntry("server", "running")
			.containsEntry("node", "node-1")
			.containsEntry("shardsHeld", 1L);
	}

	@Test
	void isDownWhenTheServerHasFailed() {
		this.failure = new OutOfMemoryError("heap");
		then(Status.DOWN, State.FAILED).extractingByKey("error").asString().contains("OutOfMemoryError: heap");
	}

	@Test
	void isDownWhileTheStoreIsOutOfReachAndDoesNotWaitForIt() {
		this.storeProblem = "connection refused";
		then(Status.DOWN, State.RUNNING).containsEntry("store", "connection refused");
		assertThat(this.readings).isZero();
	}

	@Test
	void asksTheStoreWhereNoServerRuns() {
		this.storeFailure = new StoreException("connection refused", null);
		then(Status.DOWN, State.STOPPED).extractingByKey("error").asString().contains("connection refused");
	}

	@Test
	void waitsForAStoreThatHangsOnlyOnce() {
		this.storeFailure = new StoreException("timed out", null);
		health(State.RUNNING, held());
		assertThat(this.readings).isOne();
	}

	@Test
	void waitsOnlyOnceForAStoreThatBeginsToHangBetweenTwoReadings() {
		this.answersLeft = 1;
		health(State.RUNNING, held());
		assertThat(this.readings).isEqualTo(2);
	}

	@Test
	void isUpWhereNoServerRunsAndTheStoreAnswers() {
		then(Status.UP, State.STOPPED);
	}

	@Test
	void isDownWhenAShardStaysUnowned() {
		this.unowned = List.of(OTHER);
		afterPatienceAndANano(held(), notHeld());
		then(Status.DOWN, State.RUNNING, held(), notHeld()).containsEntry("unownedShards", List.of("orders:1:1"));
	}

	@Test
	void isUpWhileAShardIsTransferred() {
		this.unowned = List.of(OTHER);
		health(State.RUNNING, held(), notHeld());
		this.nanoTime.addAndGet(PATIENCE.toNanos());
		thenUp(held(), notHeld());
	}

	@Test
	void aShardThatWasOwnedMeanwhileHasAllItsTimeAgain() {
		this.unowned = List.of(OTHER);
		health(State.RUNNING, held(), notHeld());
		this.nanoTime.addAndGet(PATIENCE.toNanos());
		this.unowned = List.of();
		health(State.RUNNING, held(), notHeld());
		this.unowned = List.of(OTHER);
		this.nanoTime.addAndGet(PATIENCE.toNanos());
		thenUp(held(), notHeld());
	}

	@Test
	void isUpWhenAnotherNodeHoldsAShardThatThisOneGaveAwayLongAgo() {
		afterPatienceAndANano(held(), notHeld());
		thenUp(held(), notHeld());
	}

	@Test
	void shardsOfQueuesThatThisNodeDoesNotServeAreNoMatterOfItsHealth() {
		this.unowned = List.of(OTHER);
		afterPatienceAndANano(held());
		thenUp(held());
	}

	@Test
	void readsFromTheStoreWhatPeopleShouldKnow() {
		this.runner.run((context) -> {
			RedisStore store = context.getBean(RedisStore.class);
			NodeRegistry nodes = store.nodes();
			Forgotten loss = Forgotten.everything(nodes.now(), nodes.now(), "newer", List.of("orders"));
			nodes.recordForgotten(loss);
			new TestQueue(store, "old", 1).strand("1");
			Map.of("same", Build.THIS, "newer", new Build("9.9.9", Set.of(1, 2)), "old", Build.UNKNOWN)
				.forEach((node, build) -> nodes.join(node, new NodeInfo(node, 0, Duration.ofSeconds(15),
						Set.of("orders"), false, "", Map.of(), build, Set.of(), Set.of())));
			assertThat(context.getBean(LowkiqHealthIndicator.class).health().getDetails())
				.containsEntry("otherVersions", Map.of("newer", "9.9.9", "old", "unknown"))
				.containsEntry("queuesWithoutNode", List.of("old"))
				.containsEntry("forgotten", List.of(loss.sentence()))
				.extractingByKey("strandedJobs")
				.asString()
				.startsWith("[Queue old: nobody performs its 1 job in 1 shard of generation 2.");
		});
	}

	@Test
	void aShardOfANewerVersionIsADetail() {
		ShardStatus newer = new ShardStatus(OTHER, false, null, 0, Instant.EPOCH, true);
		this.unowned = List.of(OTHER);
		afterPatienceAndANano(held(), newer);
		thenUp(held(), newer).containsEntry("newerShards", List.of("orders:1:1")).doesNotContainKey("unownedShards");
	}

	@Test
	void isDownWhenAQueueIsRefused() {
		this.refused = List.of(new RefusedQueue("orders", "other number of shards"));
		then(Status.DOWN, State.RUNNING).containsEntry("refusedQueues", Map.of("orders", "other number of shards"));
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
		thenUp(held()).containsEntry("failingTasks", Map.of("schedules", "java.lang.IllegalStateException: why"));
	}

	@Test
	void aStoppedQueueIsADetailAndItsShardsNeedNoOwner() {
		this.stopped = List.of("orders");
		this.unowned = List.of(OTHER);
		afterPatienceAndANano(notHeld());
		thenUp(notHeld()).containsEntry("stoppedQueues", List.of("orders"));
	}

	@Test
	void shardsThatAreLeftToAnotherApplicationNeedNoOwnerHere() {
		this.left.put("orders", "application billing");
		this.unowned = List.of(OTHER);
		afterPatienceAndANano(notHeld());
		thenUp(notHeld());
	}

	@Test
	void jobsThatThisNodeCannotReadAreADetail() {
		this.unreadable = Map.of("orders",
				"1 job: '42' has been unreadable for 5s and is dead in 14m55s. No enum constant");
		thenUp(held()).containsEntry("unreadableJobs", this.unreadable);
	}

	@Test
	void producerHasNoServerThatIsStopped() {
		this.idleBecause = "this application only enqueues";
		then(Status.UP, State.STOPPED).containsEntry("server", "none, this application only enqueues")
			.doesNotContainKey("node");
	}

	/** Of a node whose server runs, with its details. */
	private MapAssert<String, Object> thenUp(ShardStatus... shards) {
		return then(Status.UP, State.RUNNING, shards);
	}

	private MapAssert<String, Object> then(Status expected, State state, ShardStatus... shards) {
		Health health = health(state, shards);
		assertThat(health.getStatus()).isEqualTo(expected);
		return assertThat(health.getDetails());
	}

	private void afterPatienceAndANano(ShardStatus... shards) {
		health(State.RUNNING, shards);
		this.nanoTime.addAndGet(PATIENCE.toNanos() + 1);
	}

	private Health health(State state, ShardStatus... shards) {
		ServerStatus status = new ServerStatus(state, "node-1", null, null, this.failure, this.storeProblem, this.clock,
				this.refused, this.stopped, this.left, List.of(shards), List.of(), this.unreadable);
		return new LowkiqHealthIndicator(() -> status, () -> read(counts()), this.unownedShards,
				Map.of("found", () -> read(this.found)), () -> this.loops, this.idleBecause)
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
				List.of(new QueueCounts("orders", 2, 0, 0, 0, this.held, 0, 0, 0, 0, 0, 0, this.unowned, 0)));
	}

	private static ShardStatus held() {
		return new ShardStatus(new Shard("orders", 1, 0), true, "session", 7, NOW, false);
	}

	private static ShardStatus notHeld() {
		return new ShardStatus(OTHER, false, null, 0, Instant.EPOCH, false);
	}

}
