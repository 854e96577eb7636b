package io.lowkiq.dashboard.jobs;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

import io.lowkiq.InvalidJobException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.TestQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of {@link QueueWalk}. */
class QueueWalkTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final BiFunction<Shard, JobQuery, JobPage> lists = this.store.inspection()::list;

	@ParameterizedTest
	@CsvSource({ "READY, false, 57", "READY, true, 57", "DELAYED, false, 260", "DELAYED, true, 260", "DUE, false, 57",
			"SCHEDULED, false, 260", "SCHEDULED, true, 260", "RETRIES, false, 60", "RETRIES, true, 60",
			"DEAD, false, 40", "DEAD, true, 40", "QUEUED, false, 317", "BUSY, false, 70" })
	void pagesShowEveryJobOnceInOrder(JobList list, boolean descending, int expected) {
		TestQueue queue = filled(7);
		List<JobView> all = pages(queue, query(list, descending), null);
		assertThat(all).hasSize(expected).extracting(JobView::id).doesNotHaveDuplicates();
		Comparator<JobView> order = switch (list) {
			case READY, DELAYED, DUE, SCHEDULED, HELD, SUSPECTS, DEAD -> Comparator.comparingLong(JobView::performAt);
			case RETRIES -> Comparator.comparingInt(JobView::retryCount);
			case QUEUED, BUSY -> Comparator.comparing(JobView::shard);
		};
		assertThat(all).isSortedAccordingTo(descending ? order.reversed() : order);
		assertThat(all).allMatch((job) -> !job.payloads().isEmpty());
	}

	/** Few distinct times, so that many jobs have equal ones, over several shards. */
	private TestQueue filled(int shards) {
		Random random = new Random(42);
		TestQueue queue = queue(shards).bury(TestQueue.ids("dead-", 40))
			.fail(TestQueue.ids("failed-", 60))
			.busy(TestQueue.ids("busy-", 70));
		for (int i = 0; i < 200; i++) {
			long at = 4_000_000_000_000L + random.nextInt(12);
			queue.enqueue((id) -> new NewPayload(id, TestQueue.payload(id), null, at, 0), "later-" + i);
		}
		return queue.enqueue(TestQueue.ids("due-", 57));
	}

	@Test
	void pagesAreFullUntilTheLastOne() {
		TestQueue queue = queue(5).enqueue(TestQueue.ids("", 120));
		JobPage first = QueueWalk.list(this.lists, queue.layout(), query(JobList.READY, false), null);
		assertThat(first.jobs()).hasSize(50);
		assertThat(first.next()).isNotNull();
		JobPage second = QueueWalk.list(this.lists, queue.layout(),
				query(JobList.READY, false).after(String.valueOf(first.next())), null);
		assertThat(second.jobs()).hasSize(50);
		JobPage third = QueueWalk.list(this.lists, queue.layout(),
				query(JobList.READY, false).after(String.valueOf(second.next())), null);
		assertThat(third.jobs()).hasSize(20);
		assertThat(third.next()).isNull();
	}

	@Test
	void jobsThatComeMeanwhileHideNoOthers() {
		TestQueue queue = queue(5).enqueue(TestQueue.ids("a", 100));
		JobQuery query = query(JobList.READY, true);
		JobPage first = QueueWalk.list(this.lists, queue.layout(), query, null);
		queue.enqueue(TestQueue.ids("A", 80));
		HashSet<String> seen = new HashSet<>(first.jobs().stream().map(JobView::id).toList());
		pages(queue, query.after(String.valueOf(first.next())), null).forEach((job) -> seen.add(job.id()));
		assertThat(seen).contains(TestQueue.ids("a", 100));
	}

	@ParameterizedTest
	@ValueSource(ints = { 70, 1_000 })
	void listsTheJobsOfManyShards(int shards) {
		TestQueue queue = queue(shards).fail(TestQueue.ids("", 300));
		assertThat(pages(queue, query(JobList.DELAYED, false), null)).hasSize(300)
			.extracting(JobView::id)
			.doesNotHaveDuplicates();
		assertThat(pages(queue, query(JobList.QUEUED, false), null)).hasSize(300);
	}

	@Test
	void tokensFitIntoAUrlHoweverLongTheIdsAre() {
		TestQueue queue = queue(64).fail(TestQueue.ids("x".repeat(1_000), 200));
		JobQuery query = query(JobList.DELAYED, false);
		JobPage page = QueueWalk.list(this.lists, queue.layout(), query, null);
		int seen = page.jobs().size();
		while (page.next() != null) {
			assertThat(page.next().length()).isLessThan(6_500);
			page = QueueWalk.list(this.lists, queue.layout(), query.after(page.next()), null);
			seen += page.jobs().size();
		}
		assertThat(seen).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "QUEUED, 317", "BUSY, 70" })
	void listsWithoutOrderAreReadInPagesOfOneSize(JobList list, int expected) {
		TestQueue queue = filled(5);
		BiFunction<Shard, JobQuery, JobPage> strict = (shard, query) -> {
			assertThat(query.limit()).isEqualTo(50);
			return this.lists.apply(shard, query);
		};
		JobQuery query = query(list, false);
		assertThat(pages(strict, queue, query, null)).hasSize(expected);
		assertThat(QueueWalk.list(strict, queue.layout(), query, null).jobs()).hasSizeLessThanOrEqualTo(50);
	}

	@Test
	void showsOneShardOnly() {
		TestQueue queue = queue(5).enqueue(TestQueue.ids("", 300));
		List<JobView> all = pages(queue, query(JobList.READY, false), 3);
		assertThat(all).isNotEmpty().allMatch((job) -> job.shard().index() == 3);
		assertThat(all).hasSize((int) this.store.inspection().counts(queue.layout().shard(3)).queued());
	}

	@ParameterizedTest
	@CsvSource({ "READY, due-1", "DELAYED, later-1", "RETRIES, failed-1", "BUSY, busy-1", "DEAD, dead-1",
			"QUEUED, due-1" })
	void everyListShowsIdsWithAPrefix(JobList list, String prefix) {
		List<JobView> all = pages(filled(5), query(list, false).withPrefix(prefix), null);
		assertThat(all).extracting(JobView::id)
			.hasSizeGreaterThanOrEqualTo(11)
			.allMatch((id) -> id.startsWith(prefix))
			.doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@CsvSource({ "DELAYED, false", "DELAYED, true", "QUEUED, false" })
	void goesOnWhileTheStoreSearchesForAPrefix(JobList list, boolean descending) {
		TestQueue queue = filled(5);
		JobQuery query = query(list, descending).withPrefix("failed-");
		List<String> all = pages(new Searching(this.lists), queue, query, null).stream().map(JobView::id).toList();
		List<String> expected = pages(queue, query, null).stream().map(JobView::id).toList();
		assertThat(all).hasSize(60).containsExactlyInAnyOrderElementsOf(expected);
		if (list != JobList.QUEUED) {
			// That one comes in the order in which it is stored, page by page
			assertThat(all).containsExactlyElementsOf(expected);
		}
	}

	@Test
	void aPageTakesALimitedNumberOfCalls() {
		TestQueue queue = filled(5);
		Searching searching = new Searching(this.lists);
		JobPage page = QueueWalk.list(searching, queue.layout(), query(JobList.DELAYED, false).withPrefix("none-"),
				null);
		assertThat(page.jobs()).isEmpty();
		int all = searching.calls;
		assertThat(all).isBetween(200, 310);
		Searching many = new Searching(this.lists);
		assertThat(pages(many, queue(2_000), query(JobList.QUEUED, false), null)).isEmpty();
	}

	@Test
	void refusesATokenThatIsNone() {
		TestQueue queue = queue(2).enqueue("1");
		for (String token : List.of("x", "1", "1.!.!", "a.b.c", "-1.", "0...", "2.", "99999999999.")) {
			assertThatExceptionOfType(InvalidJobException.class).as(token)
				.isThrownBy(() -> QueueWalk.list(this.lists, queue.layout(), query(JobList.READY, false).after(token),
						null));
		}
	}

	private List<JobView> pages(TestQueue queue, JobQuery query, @Nullable Integer shard) {
		return pages(this.lists, queue, query, shard);
	}

	static List<JobView> pages(BiFunction<Shard, JobQuery, JobPage> lists, TestQueue queue, JobQuery query,
			@Nullable Integer shard) {
		List<JobView> all = new ArrayList<>();
		JobQuery next = query;
		while (true) {
			JobPage page = QueueWalk.list(lists, queue.layout(), next, shard);
			all.addAll(page.jobs());
			if (page.next() == null) {
				return all;
			}
			next = query.after(page.next());
		}
	}

	private static JobQuery query(JobList list, boolean descending) {
		return new JobQuery(list, descending, null, null, 50, 3);
	}

	private TestQueue queue(int shards) {
		return new TestQueue(this.store, "orders-" + shards, shards);
	}

	/**
	 * Looks at one job a call, as a store does that searches a long list for a prefix.
	 */
	private static final class Searching implements BiFunction<Shard, JobQuery, JobPage> {

		private final BiFunction<Shard, JobQuery, JobPage> lists;

		private int calls;

		Searching(BiFunction<Shard, JobQuery, JobPage> lists) {
			this.lists = lists;
		}

		@Override
		public JobPage apply(Shard shard, JobQuery query) {
			this.calls++;
			String prefix = (query.prefix() != null) ? query.prefix() : "";
			JobPage page = this.lists.apply(shard,
					new JobQuery(query.list(), query.descending(), null, query.after(), 1, query.payloads()));
			return new JobPage(page.jobs().stream().filter((job) -> job.id().startsWith(prefix)).toList(), page.next());
		}

	}

}
