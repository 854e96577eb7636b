package io.lowkiq.dashboard;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;

import io.lowkiq.InvalidJobException;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.Order;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@link QueueInspection}.
 */
class QueueInspectionTests {

	private final InMemoryStore store = new InMemoryStore(InstantSource.system());

	private final QueueInspection inspection = new QueueInspection(this.store.inspection());

	@ParameterizedTest
	@CsvSource({ "ID, false", "ID, true", "PERFORM_AT, false", "PERFORM_AT, true", "RETRY_COUNT, false",
			"RETRY_COUNT, true" })
	void pagesShowEveryJobOnceInOrder(Order order, boolean descending) {
		TestQueue queue = queue(7);
		// Few distinct times, so that many jobs have equal values, over several shards
		Random random = new Random(42);
		queue.fail(TestQueue.ids("failed-", 60));
		for (int i = 0; i < 200; i++) {
			long at = 4_000_000_000_000L + random.nextInt(12);
			queue.push((id) -> new NewPayload(id, TestQueue.payload(id), null, at, 0), "later-" + i);
		}
		queue.push(TestQueue.ids("due-", 57));
		List<JobView> all = pages(queue, query(State.QUEUED, order, descending), null);
		assertThat(all).hasSize(317).extracting(JobView::id).doesNotHaveDuplicates();
		Comparator<JobView> expected = switch (order) {
			case ID -> Comparator.comparing(JobView::id);
			case PERFORM_AT -> Comparator.comparingLong(JobView::performAt);
			case RETRY_COUNT -> Comparator.comparingInt(JobView::retryCount);
		};
		assertThat(all).isSortedAccordingTo(descending ? expected.reversed() : expected);
	}

	@Test
	void pagesAreFullUntilTheLastOne() {
		TestQueue queue = queue(5).push(TestQueue.ids("", 120));
		JobPage first = this.inspection.list(queue.layout(), query(State.QUEUED, Order.PERFORM_AT, false), null);
		assertThat(first.jobs()).hasSize(50);
		assertThat(first.next()).isNotNull();
		JobPage second = this.inspection.list(queue.layout(),
				query(State.QUEUED, Order.PERFORM_AT, false).after(String.valueOf(first.next())), null);
		assertThat(second.jobs()).hasSize(50);
	}

	@Test
	void jobsThatComeMeanwhileHideNoOthers() {
		TestQueue queue = queue(5).push(TestQueue.ids("a", 100));
		JobQuery query = query(State.QUEUED, Order.ID, false);
		JobPage first = this.inspection.list(queue.layout(), query, null);
		queue.push(TestQueue.ids("A", 80));
		HashSet<String> seen = new HashSet<>(first.jobs().stream().map(JobView::id).toList());
		pages(queue, query.after(String.valueOf(first.next())), null).forEach((job) -> seen.add(job.id()));
		assertThat(seen).contains(TestQueue.ids("a", 100));
	}

	@Test
	void showsOneShardOnly() {
		TestQueue queue = queue(5).push(TestQueue.ids("", 300));
		List<JobView> all = pages(queue, query(State.QUEUED, Order.PERFORM_AT, false), 3);
		assertThat(all).isNotEmpty().allMatch((job) -> job.shard().index() == 3);
		assertThat(all).hasSize((int) this.store.inspection().counts(queue.layout().shard(3)).queued());
	}

	@Test
	void findsAnIdInAllStates() {
		TestQueue queue = queue(5).bury("42").busy("42").push("42");
		assertThat(this.inspection.find(queue.layout(), "42", 10)).extracting(JobView::state)
			.containsExactly(State.QUEUED, State.BUSY, State.DEAD);
	}

	@Test
	void showsIdsWithAPrefix() {
		TestQueue queue = queue(5).push(TestQueue.ids("order-", 20)).push(TestQueue.ids("invoice-", 20));
		List<JobView> all = pages(queue, query(State.QUEUED, Order.ID, false).withPrefix("order-1"), null);
		assertThat(all).extracting(JobView::id).hasSize(11).allMatch((id) -> id.startsWith("order-1"));
	}

	@Test
	void refusesATokenThatIsNone() {
		TestQueue queue = queue(2).push("1");
		for (String token : List.of("x", "1.2", "1.!.!", "a.b.c")) {
			assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> this.inspection.list(queue.layout(),
					query(State.QUEUED, Order.PERFORM_AT, false).after(token), null));
		}
	}

	private List<JobView> pages(TestQueue queue, JobQuery query, @Nullable Integer shard) {
		return pages(this.store.inspection(), queue, query, shard);
	}

	static List<JobView> pages(ShardInspection shards, TestQueue queue, JobQuery query, @Nullable Integer shard) {
		QueueInspection inspection = new QueueInspection(shards);
		List<JobView> all = new ArrayList<>();
		JobQuery next = query;
		while (true) {
			JobPage page = inspection.list(queue.layout(), next, shard);
			all.addAll(page.jobs());
			if (page.next() == null) {
				return all;
			}
			next = query.after(page.next());
		}
	}

	private static JobQuery query(State state, Order order, boolean descending) {
		return new JobQuery(state, order, descending, null, null, null, 50, 3);
	}

	private TestQueue queue(int shards) {
		return new TestQueue(this.store.shardStore(), this.store.queues(), this.store.nodes(), "orders", shards);
	}

}
