package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.Order;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.FetchResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.lowkiq.redis.RedisShardFixture.NOW;
import static io.lowkiq.redis.RedisShardFixture.payload;
import static io.lowkiq.redis.RedisShardFixture.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The look-ups of people, on a real Redis.
 */
class RedisShardInspectionIntegrationTests {

	private final RedisShardFixture fixture = new RedisShardFixture();

	private final ShardInspection inspection = this.fixture.store.inspection();

	@AfterEach
	void close() {
		this.fixture.close();
	}

	/** All pages of a query, each of this size. */
	private List<String> ids(JobQuery query, int limit) {
		List<String> ids = new ArrayList<>();
		JobQuery next = new JobQuery(query.state(), query.order(), query.descending(), query.from(), query.prefix(),
				null, limit, 0);
		while (true) {
			JobPage page = this.inspection.list(this.fixture.shard, next);
			page.jobs().forEach((job) -> ids.add(job.id()));
			if (page.next() == null) {
				return ids;
			}
			assertThat(page.jobs()).hasSize(limit);
			assertThat(ids).doesNotHaveDuplicates();
			next = next.after(page.next());
		}
	}

	private static JobQuery query(State state, Order order) {
		return JobQuery.first(state, order, 1000);
	}

	private void assertOrder(JobQuery query, String... expected) {
		List<String> ids = List.of(expected);
		List<String> reversed = new ArrayList<>(ids);
		Collections.reverse(reversed);
		for (int limit : new int[] { 1, 2, 3, 1000 }) {
			assertThat(ids(query, limit)).as("%s by %d", query, limit).isEqualTo(ids);
			assertThat(ids(query.backwards(), limit)).as("backwards %s by %d", query, limit).isEqualTo(reversed);
		}
	}

	/**
	 * Jobs of every kind: "x" and "y" are suspects, "r0" and "r1" retries, "l2" and "l4"
	 * left the line.
	 */
	private void fill() {
		this.fixture.enqueue(push("x", "1"), push("y", "1"));
		this.fixture.acquire(Claim.free("dead"));
		this.fixture.fetch(2);
		this.fixture.acquire(Claim.crashed("me", "dead"));
		this.fixture.enqueue(push("r1", "1"), push("r0", "1"));
		this.fixture.fetch(2);
		this.fixture.fetch(1, new Outcome.Retry("r1", 0, "oops"), new Outcome.Retry("r0", 5, "oops"));
		this.fixture.fetch(0, new Outcome.Retry("r1", 0, "oops again"));
		for (int i = 0; i < 6; i++) {
			this.fixture.enqueue(push("l" + i, "1"), push("l" + i, "2"));
			this.fixture.advance(i % 2);
		}
		this.fixture.store.actions().delete(this.fixture.shard, List.of("l2", "l4"));
		this.fixture.enqueue(push("l2", "1"), push("a", "1").withPerformAt(NOW + 1),
				push("b", "1").withDelay(Duration.ofDays(1)));
	}

	@Test
	void queuedJobsByPerformAt() {
		fill();
		assertOrder(query(State.QUEUED, Order.PERFORM_AT), "l0", "l1", "r1", "x", "y", "l3", "a", "l5", "l2", "r0",
				"b");
	}

	@Test
	void queuedJobsFromAPerformAtOn() {
		fill();
		JobQuery query = query(State.QUEUED, Order.PERFORM_AT).from(Long.toString(NOW + 1));
		assertThat(ids(query, 2)).containsExactly("l3", "a", "l5", "l2", "r0", "b");
		assertThat(ids(query.backwards(), 2)).containsExactly("a", "l3", "y", "x", "r1", "l1", "l0");
		query = query(State.QUEUED, Order.PERFORM_AT).from(Long.toString(NOW + 4));
		assertThat(ids(query, 2)).containsExactly("r0", "b");
		assertThat(ids(query.backwards(), 20)).startsWith("l2", "l5", "a");
	}

	@Test
	void queuedJobsByRetryCount() {
		fill();
		assertOrder(query(State.QUEUED, Order.RETRY_COUNT), "l0", "l1", "x", "y", "l3", "a", "l5", "l2", "b", "r0",
				"r1");
		JobQuery query = query(State.QUEUED, Order.RETRY_COUNT);
		assertThat(ids(query.from("0"), 1)).containsExactly("r0", "r1");
		assertThat(ids(query.from("1"), 1)).containsExactly("r1");
		assertThat(ids(query.from("0").backwards(), 1)).startsWith("r0", "b", "l2");
		assertThat(ids(query.from("-1").backwards(), 1)).startsWith("b", "l2").hasSize(9);
	}

	@Test
	void queuedJobsById() {
		fill();
		assertOrder(query(State.QUEUED, Order.ID), "a", "b", "l0", "l1", "l2", "l3", "l5", "r0", "r1", "x", "y");
		assertOrder(query(State.QUEUED, Order.ID).withPrefix("l"), "l0", "l1", "l2", "l3", "l5");
		assertThat(ids(query(State.QUEUED, Order.ID).from("l3"), 2)).containsExactly("l3", "l5", "r0", "r1", "x", "y");
		assertThat(ids(query(State.QUEUED, Order.ID).from("l4").backwards(), 2)).containsExactly("l3", "l2", "l1", "l0",
				"b", "a");
	}

	@Test
	void busyJobs() {
		this.fixture.own();
		this.fixture.enqueue(push("b", "1").withPerformAt(5), push("a", "1").withPerformAt(7),
				push("c", "1").withPerformAt(7));
		this.fixture.fetch(9);
		assertOrder(query(State.BUSY, Order.ID), "a", "b", "c");
		assertOrder(query(State.BUSY, Order.PERFORM_AT), "b", "a", "c");
		assertThat(ids(query(State.BUSY, Order.PERFORM_AT).from("6"), 9)).containsExactly("a", "c");
		assertThat(ids(query(State.BUSY, Order.PERFORM_AT).from("6").backwards(), 9)).containsExactly("b");
	}

	@Test
	void deadJobs() {
		this.fixture.own();
		this.fixture.enqueue(push("b", "1"), push("a", "1"), push("c", "1"));
		this.fixture.fetch(9);
		this.fixture.fetch(0, new Outcome.Bury("c", "dead"));
		this.fixture.advance(1);
		this.fixture.fetch(0, new Outcome.Bury("a", "dead"), new Outcome.Bury("b", "dead"));
		assertOrder(query(State.DEAD, Order.ID), "a", "b", "c");
		assertOrder(query(State.DEAD, Order.PERFORM_AT), "c", "a", "b");
		assertThat(ids(query(State.DEAD, Order.PERFORM_AT).from(Long.toString(NOW + 1)), 9)).containsExactly("a", "b");
	}

	@Test
	void pagesStandWhileJobsAreFetched() {
		List<NewPayload> pushes = IntStream.range(0, 3000).mapToObj((i) -> push("id-" + i, "1")).toList();
		this.fixture.shardStore().push(this.fixture.shard, pushes);
		this.fixture.own();
		JobPage first = this.inspection.list(this.fixture.shard, JobQuery.first(State.QUEUED, Order.PERFORM_AT, 100));
		this.fixture.fetch(50);
		JobPage second = this.inspection.list(this.fixture.shard,
				JobQuery.first(State.QUEUED, Order.PERFORM_AT, 1000).after(String.valueOf(first.next())));
		assertThat(second.jobs()).extracting(JobView::id)
			.isEqualTo(IntStream.range(100, 1100).mapToObj((i) -> "id-" + i).toList());
		assertThat(ids(query(State.QUEUED, Order.ID), 1000)).hasSize(2950).isSorted();
		assertThat(ids(query(State.QUEUED, Order.RETRY_COUNT), 999)).hasSize(2950).startsWith("id-50", "id-51");
	}

	@Test
	void jobIsShownWithItsFirstPayloads() {
		this.fixture.own();
		this.fixture.enqueue(push("a", "1").withScore(1), push("a", "2").withScore(2.5), push("a", "3").withScore(3));
		JobView job = new JobView(this.fixture.shard, State.QUEUED, "a", NOW, -1, 0, null, 3,
				List.of(payload("1", 1), payload("2", 2.5)));
		assertThat(this.inspection.find(this.fixture.shard, State.QUEUED, "a", 2)).contains(job);
		assertThat(this.inspection.find(this.fixture.shard, State.QUEUED, "b", 2)).isEmpty();
		this.fixture.fetch(1);
		assertThat(this.inspection.find(this.fixture.shard, State.QUEUED, "a", 2)).isEmpty();
		assertThat(this.inspection.find(this.fixture.shard, State.BUSY, "a", 2)).contains(new JobView(
				this.fixture.shard, State.BUSY, "a", NOW, -1, 0, null, 3, List.of(payload("1", 1), payload("2", 2.5))));
		this.fixture.turn(Fetch.NONE, new Outcome.Bury("a", "é"));
		assertThat(this.inspection.find(this.fixture.shard, State.DEAD, "a", 0))
			.contains(new JobView(this.fixture.shard, State.DEAD, "a", NOW, -1, 0, "é", 1, List.of()));
	}

	@Test
	void entryThatCanNotBeReadIsShownAsItIs() {
		this.fixture.redis.opsForHash().put(this.fixture.key("jobs"), "odd", "xyz");
		JobView job = this.inspection.find(this.fixture.shard, State.QUEUED, "odd", 9).orElseThrow();
		assertThat(job.payloads()).containsExactly(payload("xyz", 0));
		assertThat(job.error()).contains("can not be read");
	}

	@Test
	void countsOfAnEmptyAndOfAFullShard() {
		assertThat(this.inspection.counts(this.fixture.shard)).isEqualTo(
				new ShardCounts(this.fixture.shard, 0, 0, 0, 0, FetchResult.NOTHING, 0, 0, false, null, 0, 0, NOW));
		fill();
		assertThat(this.inspection.counts(this.fixture.shard))
			.isEqualTo(new ShardCounts(this.fixture.shard, 9, 2, 0, 0, NOW, 0, 3, false, "me", NOW + 1, NOW, NOW + 3));
		assertThat(this.inspection.counts(this.fixture.shard).lag()).isEqualTo(3);
	}

	@Test
	void queryThatMakesNoSenseIsRefused() {
		assertRefused(JobQuery.first(State.QUEUED, Order.ID, 0), "limit");
		assertRefused(JobQuery.first(State.QUEUED, Order.ID, 1001), "limit");
		assertRefused(new JobQuery(State.QUEUED, Order.ID, false, null, null, null, 1, 1001), "payloads");
		assertRefused(query(State.QUEUED, Order.PERFORM_AT).withPrefix("a"), "prefix");
		assertRefused(query(State.DEAD, Order.RETRY_COUNT), "retryCount");
		assertRefused(query(State.QUEUED, Order.PERFORM_AT).from("x"), "number");
		assertRefused(query(State.QUEUED, Order.PERFORM_AT).after("x"), "token");
	}

	private void assertRefused(JobQuery query, String message) {
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> this.inspection.list(this.fixture.shard, query))
			.withMessageContaining(message);
	}

}
