package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobRequest;
import io.lowkiq.Limits;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.ShardCounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Groups share the threads of a server fairly. Each run waits until the test lets one
 * end.
 */
class GroupTests {

	private static final GroupPolicy GROUPS = new GroupPolicy(":");

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.store);

	/** The ids of the runs, in the order in which they began. */
	private final List<String> begun = new CopyOnWriteArrayList<>();

	/** The number of running jobs of each group, and the largest there was. */
	private final Map<String, Integer> running = new ConcurrentHashMap<>();

	private final Map<String, Integer> most = new ConcurrentHashMap<>();

	private final Semaphore end = new Semaphore(0);

	private final Worker<Integer> worker = this::perform;

	private void perform(String id, List<Integer> payloads) {
		String group = GROUPS.groupOf(id);
		int now = this.running.merge(group, 1, Integer::sum);
		this.most.merge(group, now, Math::max);
		this.begun.add(id);
		this.end.acquireUninterruptibly();
		this.running.merge(group, -1, Integer::sum);
	}

	private void start(ServerFixture of, int shards, int threads, GroupPolicy policy) {
		of.worker("sync", ServerFixture.settings(shards, 1, 5).with(policy), this.worker);
		of.started((builder) -> builder.settings(ServerFixture.settings(threads, Duration.ofSeconds(10))));
	}

	private void enqueue(String group, int count) {
		this.fixture.client()
			.enqueueAll("sync",
					IntStream.rangeClosed(1, count).mapToObj((i) -> JobRequest.of(group + ":" + i, i)).toList());
	}

	private void awaitRunning(String group, int count) {
		await().atMost(PATIENCE).until(() -> this.running.getOrDefault(group, 0) == count);
	}

	@AfterEach
	void endRuns() {
		this.end.release(1_000_000);
	}

	private void endAll() {
		this.end.release(1_000_000);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
	}

	@Test
	void groupWaitsForRunningJobsOfOthersOnly() {
		start(this.fixture, 1, 4, GROUPS);
		enqueue("a", 20_000);
		awaitRunning("a", 4);
		enqueue("b", 2);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("sync", 0).groups() == 2);
		// Whichever run ends, group b has fewer than the other
		for (int i = 1; i <= 2; i++) {
			int ended = i;
			this.end.release();
			await().atMost(PATIENCE).until(() -> this.begun.size() == 4 + ended);
		}
		assertThat(this.begun.subList(4, 6)).containsExactly("b:1", "b:2");
	}

	/** Found behind all others, although no thread is free. */
	@Test
	void jobsAreGivenToTheirGroupsAlsoIfNoThreadIsFree() {
		this.fixture.worker("sync", ServerFixture.settings(1, 1, 5).with(GROUPS), this.worker);
		enqueue("a", 3_000);
		enqueue("b", 1);
		this.fixture.started((builder) -> builder.settings(ServerFixture.settings(2, Duration.ofSeconds(10))));
		awaitRunning("a", 2);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("sync", 0).groups() == 2);
		assertThat(this.begun).hasSize(2);
		this.end.release();
		await().atMost(PATIENCE).until(() -> this.begun.size() == 3);
		assertThat(this.begun).endsWith("b:1");
	}

	@Test
	void groupHasNoMoreThanItsShare() {
		start(this.fixture, 3, 4, new GroupPolicy(":", 50, Map.of()));
		enqueue("a", 60);
		awaitRunning("a", 2);
		enqueue("b", 1);
		awaitRunning("b", 1);
		assertThat(this.most).containsEntry("a", 2);
		endAll();
		assertThat(this.begun).hasSize(61).doesNotHaveDuplicates();
		assertThat(this.most).containsEntry("a", 2);
	}

	@Test
	void manyShardsAndGroupsArePerformedToTheEnd() {
		start(this.fixture, 7, 5, new GroupPolicy(":", 40, Map.of("g3", 5)));
		this.end.release(1_000_000);
		for (int i = 0; i < 40; i++) {
			enqueue("g" + i, 20);
		}
		enqueue("g0", 1_000);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(this.begun).hasSizeGreaterThanOrEqualTo(1_780);
		assertThat(this.most.values()).allMatch((largest) -> largest <= 2);
		assertThat(this.fixture.counts("sync")).extracting(ShardCounts::groups).containsOnly(0L);
	}

	@Test
	void serverWithoutGroupsServesWhatWaits() {
		this.fixture.worker("sync", ServerFixture.settings(1, 1, 5).with(GROUPS), this.worker);
		enqueue("a", 20);
		enqueue("b", 20);
		this.fixture.started((builder) -> builder.settings(ServerFixture.settings(1, Duration.ofSeconds(10))));
		// Of any group: a fetched job that has not begun for some time goes back
		await().atMost(PATIENCE).until(() -> this.begun.size() == 1);
		assertThat(this.fixture.counts("sync", 0).groups()).isEqualTo(2);
		this.end.release(1_000_000);
		this.fixture.close();
		try (ServerFixture other = new ServerFixture(this.store)) {
			start(other, 1, 1, GroupPolicy.NONE);
			await().atMost(PATIENCE).until(() -> other.isEmpty("sync"));
			assertThat(other.counts("sync", 0).groups()).isZero();
		}
		assertThat(this.begun).hasSizeGreaterThanOrEqualTo(40).contains("a:20", "b:20");
	}

	@Test
	void settingsOfGroupsAreChecked() {
		assertThat(GROUPS.groupOf("a:b:c")).isEqualTo("a");
		assertThat(GROUPS.groupOf("abc")).isEmpty();
		for (GroupPolicy wrong : List.of(new GroupPolicy("123456789"), new GroupPolicy("", 50, Map.of()),
				new GroupPolicy(":", 0, Map.of()), new GroupPolicy(":", 101, Map.of()),
				new GroupPolicy(":", 100, Map.of("a", 0)), new GroupPolicy("", 100, Map.of(), true, Limits.NONE))) {
			RegisteredWorker.Settings settings = ServerFixture.settings(1, 1, 5).with(wrong);
			assertThat(catchThrowable(
					() -> new RegisteredWorker("sync", Worker.class, Integer.class, settings, () -> this.worker)))
				.as(wrong.toString())
				.isInstanceOf(InvalidQueueException.class);
		}
	}

}
