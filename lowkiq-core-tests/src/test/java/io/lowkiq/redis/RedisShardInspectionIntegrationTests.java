package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.job.NewPayload;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.redis.RedisShardFixture.NOW;
import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static io.lowkiq.redis.RedisShardFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

/** The look-ups of people, on a real Redis. */
class RedisShardInspectionIntegrationTests {

	@AutoClose
	private final RedisShardFixture fixture = new RedisShardFixture();

	private final ShardInspection inspection = this.fixture.store.inspection();

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

}
