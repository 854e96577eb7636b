package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
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
import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;

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
		JobQuery next = new JobQuery(query.list(), query.descending(), query.prefix(), null, limit, 0);
		while (true) {
			JobPage page = this.inspection.list(this.fixture.shard, next);
			assertThat(page.jobs()).hasSizeLessThanOrEqualTo(limit);
			page.jobs().forEach((job) -> ids.add(job.id()));
			if (page.next() == null) {
				return ids;
			}
			next = next.after(page.next());
		}
	}

	private static JobQuery query(JobList list) {
		return JobQuery.first(list, 1000);
	}

	private void assertOrder(JobList list, String... expected) {
		List<String> ids = List.of(expected);
		List<String> reversed = new ArrayList<>(ids);
		Collections.reverse(reversed);
		for (int limit : new int[] { 1, 2, 3, 1000 }) {
			assertThat(ids(query(list), limit)).as("%s by %d", list, limit).isEqualTo(ids);
			assertThat(ids(query(list).backwards(), limit)).as("backwards %s by %d", list, limit).isEqualTo(reversed);
		}
	}

	private void assertContent(JobList list, String... expected) {
		for (int limit : new int[] { 1, 2, 3, 1000 }) {
			assertThat(ids(query(list), limit)).as("%s by %d", list, limit).containsExactlyInAnyOrder(expected);
		}
	}

	/**
	 * Jobs of every kind: "x" and "y" are suspects, "r0" and "r1" retries, "l4" is
	 * deleted, "busy" is busy and queued, too.
	 */
	private void fill() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("x", "1"), newPayload("y", "1"), newPayload("r1", "1"), newPayload("r0", "1"),
				newPayload("busy", "1"));
		this.fixture.fetch(5);
		this.fixture.completeAndFetch(Fetch.NONE, new Outcome.Retry("x", 7, "oom", true),
				new Outcome.Retry("y", 6, "oom", true), new Outcome.Retry("r1", 0, "oops"),
				new Outcome.Retry("r0", 5, "oops"));
		this.fixture.fetch(1);
		this.fixture.completeAndFetch(Fetch.NONE, new Outcome.Retry("r1", 0, "oops again"));
		for (int i = 0; i < 6; i++) {
			this.fixture.enqueue(newPayload("l" + i, "1"), newPayload("l" + i, "2"));
			this.fixture.advance(i % 2);
		}
		this.fixture.store.actions().delete(this.fixture.shard, List.of("l4"));
		this.fixture.enqueue(newPayload("b", "1").withDelay(Duration.ofDays(1)), newPayload("a", "1").withPerformAt(1),
				newPayload("busy", "2"));
	}

	@Test
	void everyListHasItsOrder() {
		fill();
		assertOrder(JobList.READY, "l0", "l1", "l2", "l3", "l5");
		assertOrder(JobList.DELAYED, "a", "r1", "r0", "b");
		assertOrder(JobList.SUSPECTS, "y", "x");
		assertOrder(JobList.RETRIES, "r0", "x", "y", "r1");
		assertContent(JobList.QUEUED, "l0", "l1", "l2", "l3", "l5", "a", "r1", "r0", "b", "y", "x", "busy");
		assertContent(JobList.BUSY, "busy");
		assertOrder(JobList.DEAD);
	}

	@Test
	void prefixIsThatOfTheIds() {
		fill();
		assertThat(ids(query(JobList.READY).withPrefix("l"), 2)).containsExactly("l0", "l1", "l2", "l3", "l5");
		assertThat(ids(query(JobList.READY).withPrefix("l3"), 2)).containsExactly("l3");
		assertThat(ids(query(JobList.DELAYED).withPrefix("r").backwards(), 1)).containsExactly("r0", "r1");
		assertThat(ids(query(JobList.QUEUED).withPrefix("l"), 2)).containsExactlyInAnyOrder("l0", "l1", "l2", "l3",
				"l5");
		assertThat(ids(query(JobList.QUEUED).withPrefix("nothing"), 2)).isEmpty();
	}

	@Test
	void deadJobs() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("b", "1"), newPayload("a", "1"), newPayload("c", "1"));
		this.fixture.fetch(9);
		this.fixture.fetch(0, buried("c", "dead"));
		this.fixture.advance(1);
		this.fixture.fetch(0, buried("a", "dead"), buried("b", "dead"));
		assertOrder(JobList.DEAD, "c", "a", "b");
	}

	@Test
	void pagesGoOnWhileJobsAreFetched() {
		this.fixture.shards()
			.enqueue(this.fixture.shard, IntStream.range(0, 3000).mapToObj((i) -> newPayload("id-" + i, "1")).toList());
		this.fixture.own();
		JobPage first = this.inspection.list(this.fixture.shard, JobQuery.first(JobList.READY, 100));
		this.fixture.fetch(50);
		JobPage second = this.inspection.list(this.fixture.shard,
				JobQuery.first(JobList.READY, 1000).after(String.valueOf(first.next())));
		assertThat(second.jobs()).extracting(JobView::id)
			.isEqualTo(IntStream.range(100, 1100).mapToObj((i) -> "id-" + i).toList());
		this.fixture.fetch(1500);
		JobPage third = this.inspection.list(this.fixture.shard,
				JobQuery.first(JobList.READY, 10).after(String.valueOf(second.next())));
		assertThat(third.jobs()).extracting(JobView::id).startsWith("id-1550");
		assertThat(ids(query(JobList.QUEUED), 999)).hasSize(1450).doesNotHaveDuplicates();
	}

	@Test
	void everyJobOfALongListIsOnOnePage() {
		this.fixture.shards()
			.enqueue(this.fixture.shard,
					IntStream.range(0, 3000)
						.mapToObj((i) -> newPayload("id-" + i, "1").withPerformAt(NOW + i / 500))
						.toList());
		for (JobList list : List.of(JobList.QUEUED, JobList.DELAYED)) {
			assertThat(ids(query(list), 70)).as("%s", list).hasSize(3000).doesNotHaveDuplicates();
			assertThat(ids(query(list).withPrefix("id-1"), 70)).as("%s", list).hasSize(1111).doesNotHaveDuplicates();
		}
	}

	@Test
	void pageEndsWithAThousandPayloads() {
		List<NewPayload> payloads = new ArrayList<>();
		IntStream.range(0, 5)
			.forEach((id) -> IntStream.range(0, 400).forEach((i) -> payloads.add(newPayload("id" + id, "p" + i))));
		this.fixture.shards().enqueue(this.fixture.shard, payloads);
		JobPage page = this.inspection.list(this.fixture.shard,
				new JobQuery(JobList.READY, false, null, null, 9, 1000));
		assertThat(page.jobs()).extracting((job) -> job.payloads().size()).containsExactly(400, 400, 400);
		page = this.inspection.list(this.fixture.shard, new JobQuery(JobList.READY, false, null, page.next(), 9, 1000));
		assertThat(page.jobs()).extracting(JobView::id).containsExactly("id3", "id4");
		assertThat(page.next()).isNull();
	}

	@Test
	void jobIsShownWithItsFirstPayloads() {
		this.fixture.own();
		this.fixture.enqueue(newPayload("a", "1").withScore(1), newPayload("a", "2").withScore(2.5),
				newPayload("a", "3").withScore(3));
		JobView job = new JobView(this.fixture.shard, State.QUEUED, "a", NOW, -1, 0, null, 3,
				List.of(payload("1", 1), payload("2", 2.5)));
		assertThat(this.inspection.find(this.fixture.shard, State.QUEUED, "a", 2)).contains(job);
		assertThat(this.inspection.find(this.fixture.shard, State.QUEUED, "b", 2)).isEmpty();
		this.fixture.fetch(1);
		assertThat(this.inspection.find(this.fixture.shard, State.QUEUED, "a", 2)).isEmpty();
		assertThat(this.inspection.find(this.fixture.shard, State.BUSY, "a", 2)).contains(new JobView(
				this.fixture.shard, State.BUSY, "a", NOW, -1, 0, null, 3, List.of(payload("1", 1), payload("2", 2.5))));
		this.fixture.completeAndFetch(Fetch.NONE, buried("a", "é"));
		assertThat(this.inspection.find(this.fixture.shard, State.DEAD, "a", 0))
			.contains(new JobView(this.fixture.shard, State.DEAD, "a", NOW, -1, 0, "é", 1, List.of()));
	}

	@Test
	void entryThatCanNotBeReadIsShownAsItIs() {
		this.fixture.redis.opsForHash().put(this.fixture.key("jobs"), "odd", "xyz");
		JobView job = this.inspection.find(this.fixture.shard, State.QUEUED, "odd", 9).orElseThrow();
		assertThat(job.payloads()).containsExactly(payload("xyz", 0));
		assertThat(job.error()).contains("Unreadable");
	}

	@Test
	void entryThatCanNotBeReadIsListed() {
		this.fixture.enqueue(newPayload("a", "1"), newPayload("odd", "1"));
		this.fixture.redis.opsForHash().put(this.fixture.key("jobs"), "odd", "xyz");
		assertOrder(JobList.READY, "a", "odd");
		assertContent(JobList.QUEUED, "a", "odd");
	}

	@Test
	void countsOfAnEmptyAndOfAFullShard() {
		assertThat(this.inspection.counts(this.fixture.shard)).isEqualTo(new ShardCounts(this.fixture.shard, 0, 0, 0, 0,
				0, 0, FetchResult.NOTHING, 0, 0, false, null, 0, 0, NOW));
		fill();
		assertThat(this.inspection.counts(this.fixture.shard)).isEqualTo(new ShardCounts(this.fixture.shard, 8, 4, 1, 0,
				2, 0, 1, 0, 5, false, "me", NOW * 1_000, NOW, NOW + 3, 0, false, 2));
		assertThat(this.inspection.counts(this.fixture.shard).lag()).isEqualTo(NOW + 2);
	}

}
