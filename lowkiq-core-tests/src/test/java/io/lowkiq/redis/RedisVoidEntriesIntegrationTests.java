package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;

import io.lowkiq.store.Fetch;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.TestTurns;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.RedisCallback;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The list of ready ids is a hint: void ids in it cost little and don't become more and
 * more (I9).
 */
class RedisVoidEntriesIntegrationTests {

	private static final int MANY = 100_000;

	/** Of fetching, counting and listing. */
	private static final int MAX_COMMANDS_OF_A_ROUND = 1_000;

	private final RedisProcess server = TestRedis.startPrivate();

	private final RedisShardFixture fixture = new RedisShardFixture(TestRedis.connectionFactory(this.server.url()));

	@AfterEach
	void close() {
		this.fixture.close();
		this.server.close();
	}

	private long entries() {
		return entries("ready");
	}

	private long entries(String list) {
		Long size = this.fixture.redis.opsForList().size(this.fixture.key(list));
		return (size != null) ? size : 0;
	}

	@Test
	void enqueuingAndDeletingInAPausedQueueLeavesFewEntries() {
		this.fixture.store.actions().pause(this.fixture.shard, true);
		this.fixture.enqueue(newPayload("stays", "1"));
		long most = 0;
		for (int i = 0; i < 3_000; i++) {
			this.fixture.enqueue(newPayload("id" + i, "1"));
			this.fixture.store.actions().delete(this.fixture.shard, List.of("id" + i));
			most = Math.max(most, entries());
		}
		assertThat(most).isLessThan(1_100);
		this.fixture.store.actions().pause(this.fixture.shard, false);
		this.fixture.own();
		assertThat(this.fixture.drain()).extracting(FetchedJob::id).containsExactly("stays");
	}

	@Test
	void enqueuingAndDeletingInAFullGroupLeavesFewEntries() {
		GroupTurns full = TestTurns.of(":", TestTurns.use("a", 1, 1, 0));
		this.fixture.own();
		this.fixture.enqueue(newPayload("a:stays", "1"));
		long most = 0;
		for (int i = 0; i < 3_000; i++) {
			this.fixture.enqueue(newPayload("a:" + i, "1"));
			assertThat(this.fixture.completeAndFetch(new Fetch(1, 9, false, full)).jobs()).isEmpty();
			this.fixture.store.actions().delete(this.fixture.shard, List.of("a:" + i));
			most = Math.max(most, entries() + entries("g:a"));
		}
		assertThat(most).isBetween(1_000L, 1_100L);
		List<FetchedJob> jobs = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			jobs.addAll(
					this.fixture.completeAndFetch(new Fetch(1, 9, false, TestTurns.of(":", TestTurns.use("a", 0, 1))))
						.jobs());
		}
		assertThat(jobs).extracting(FetchedJob::id).containsExactly("a:stays");
		assertThat(this.fixture.redis.hasKey(this.fixture.key("g:a"))).isFalse();
		assertThat(this.fixture.redis.hasKey(this.fixture.key("turns"))).isFalse();
	}

	@Test
	void sweptJobsKeepTheirOrder() {
		this.fixture.shards()
			.enqueue(this.fixture.shard, IntStream.range(0, 3_000).mapToObj((i) -> newPayload("id" + i, "1")).toList());
		this.fixture.store.actions()
			.delete(this.fixture.shard,
					IntStream.range(0, 3_000).filter((i) -> i % 100 != 0).mapToObj((i) -> "id" + i).toList());
		this.fixture.advance(1);
		this.fixture.enqueue(newPayload("last", "1"));
		this.fixture.own();
		List<String> expected = IntStream.range(0, 30).mapToObj((i) -> "id" + 100 * i).sorted().toList();
		List<FetchedJob> jobs = this.fixture.drain();
		assertThat(jobs).hasSize(31);
		assertThat(jobs.subList(0, 30)).extracting(FetchedJob::id).containsExactlyInAnyOrderElementsOf(expected);
		assertThat(jobs.get(30).id()).isEqualTo("last");
	}

	@Test
	void callsSkipManyVoidEntriesInSteps() {
		byte[] key = this.fixture.key("ready").getBytes();
		byte[][] ids = IntStream.range(0, MANY).mapToObj((i) -> ("gone" + i).getBytes()).toArray(byte[][]::new);
		this.fixture.redis.execute((RedisCallback<Long>) (connection) -> connection.listCommands().rPush(key, ids));
		this.fixture.own();
		this.fixture.enqueue(newPayload("a", "1"));
		resetStatistics();
		int calls = 0;
		List<FetchedJob> fetched = this.fixture.fetch(10);
		while (fetched.isEmpty()) {
			this.fixture.store.inspection().counts(this.fixture.shard);
			this.fixture.store.inspection().list(this.fixture.shard, JobQuery.first(JobList.READY, 10));
			fetched = this.fixture.fetch(10);
			calls++;
		}
		assertThat(fetched).extracting(FetchedJob::id).containsExactly("a");
		assertThat(calls).isBetween(80, 110);
		assertThat(commandsOfScripts()).isLessThanOrEqualTo(calls * MAX_COMMANDS_OF_A_ROUND);
		assertThat(entries()).isZero();
	}

	@Test
	void listOfReadyJobsWalksVoidEntriesInSteps() {
		byte[] key = this.fixture.key("ready").getBytes();
		byte[][] ids = IntStream.range(0, 5_000).mapToObj((i) -> ("gone" + i).getBytes()).toArray(byte[][]::new);
		this.fixture.redis.execute((RedisCallback<Long>) (connection) -> connection.listCommands().rPush(key, ids));
		this.fixture.enqueue(newPayload("a", "1"));
		JobQuery query = JobQuery.first(JobList.READY, 10);
		JobPage page = this.fixture.store.inspection().list(this.fixture.shard, query);
		int pages = 1;
		while (page.next() != null) {
			assertThat(page.jobs()).isEmpty();
			page = this.fixture.store.inspection().list(this.fixture.shard, query.after(page.next()));
			pages++;
		}
		assertThat(page.jobs()).hasSize(1);
		assertThat(pages).isBetween(5, 20);
	}

	private void resetStatistics() {
		this.fixture.redis.execute((RedisCallback<Boolean>) (connection) -> {
			connection.serverCommands().resetConfigStats();
			return true;
		});
	}

	/** How many commands the scripts ran; those that clients sent are not counted. */
	private long commandsOfScripts() {
		Properties stats = this.fixture.redis
			.execute((RedisCallback<Properties>) (connection) -> connection.serverCommands().info("commandstats"));
		assertThat(stats).isNotNull();
		return stats.stringPropertyNames()
			.stream()
			.filter((name) -> !name.matches("cmdstat_(eval.*|info|config.*|ping|hello|client.*)"))
			.mapToLong((name) -> Long.parseLong(stats.getProperty(name).replaceAll("calls=([0-9]+),.*", "$1")))
			.sum();
	}

}
