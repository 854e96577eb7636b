package io.lowkiq.dashboard.jobs;

import java.util.Map;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The lists of jobs in Redis. */
class RedisListsIntegrationTests {

	private final RedisStore store = new RedisStore(TestRedis.connectionFactory(TestRedis.shared().url()),
			TestRedis.uniquePrefix(), null);

	@Test
	void pagesShowEveryJobOfRedisOnce() {
		TestQueue queue = new TestQueue(this.store, "orders", 5);
		queue.bury(TestQueue.ids("dead-", 80))
			.fail(TestQueue.ids("failed-", 70))
			.busy(TestQueue.ids("busy-", 90))
			.enqueue(TestQueue.ids("fresh-", 130));
		Map<JobList, Integer> sizes = Map.of(JobList.QUEUED, 200, JobList.READY, 130, JobList.DELAYED, 70,
				JobList.RETRIES, 70, JobList.SUSPECTS, 0, JobList.BUSY, 90, JobList.DEAD, 80);
		sizes.forEach((list, size) -> {
			JobQuery query = JobQuery.first(list, 50);
			assertPages(queue, query, size);
			if (list != JobList.QUEUED && list != JobList.BUSY) {
				assertPages(queue, query.backwards(), size);
			}
		});
		assertPages(queue, JobQuery.first(JobList.DELAYED, 50).withPrefix("failed-1"), 11);
		assertPages(queue, JobQuery.first(JobList.QUEUED, 50).withPrefix("fresh-12"), 11);
	}

	private void assertPages(TestQueue queue, JobQuery query, int size) {
		assertThat(QueueWalkTests.pages(this.store.inspection()::list, queue, query, null)).extracting(JobView::id)
			.as("%s", query)
			.hasSize(size)
			.doesNotHaveDuplicates();
	}

	@Test
	void theBeginningOfAnErrorIsReadWhereItIsEnough() {
		TestQueue queue = new TestQueue(this.store, "orders", 1).bury("dead").fail("failed");
		for (JobList list : new JobList[] { JobList.DEAD, JobList.RETRIES }) {
			for (int bytes : new int[] { 0, 30, 1_000_000 }) {
				JobQuery query = new JobQuery(list, false, null, null, 10, 0, bytes);
				assertThat(this.store.inspection().list(queue.layout().shard(0), query).jobs().get(0).error())
					.isEqualTo(TestQueue.ERROR.substring(0, Math.min(bytes, TestQueue.ERROR.length())));
			}
		}
	}

}
