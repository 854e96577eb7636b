package io.lowkiq.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.inspection.JobQuery.Order;
import io.lowkiq.store.inspection.JobView.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The read side, for people.
 */
abstract class InspectionContract extends StoreContract {

	private JobPage list(JobQuery query) {
		return this.store.inspection().list(SHARD, query);
	}

	/**
	 * The ids of all pages, of which none is longer than the query allows.
	 * @param query the query for the first page
	 * @return the ids
	 */
	private List<String> pages(JobQuery query) {
		List<String> ids = new ArrayList<>();
		JobPage page = list(query);
		while (true) {
			assertThat(page.jobs()).hasSizeLessThanOrEqualTo(query.limit());
			page.jobs().forEach((job) -> ids.add(job.id()));
			if (page.next() == null) {
				return ids;
			}
			assertThat(ids).as("pages come to an end").hasSizeLessThan(10_000);
			page = list(query.after(page.next()));
		}
	}

	private static JobQuery queued(Order order, int limit) {
		return JobQuery.first(State.QUEUED, order, limit);
	}

	private void pushAt(long performAt, String... ids) {
		for (String id : ids) {
			push(NewPayload.of(id, bytes("p")).withPerformAt(performAt));
		}
	}

	@Test
	void emptyShardHasEmptyCounts() {
		assertThat(counts())
			.isEqualTo(new ShardCounts(SHARD, 0, 0, 0, 0, FetchResult.NOTHING, 0, 0, false, null, 0, 0, now()));
		assertThat(counts().lag()).isZero();
	}

	@Test
	void countsOfManyShardsAreThoseOfEachInTheirOrder() {
		List<Shard> shards = new QueueLayout("orders", 1, 50).allShards();
		for (Shard shard : shards) {
			List<NewPayload> pushes = IntStream.rangeClosed(0, shard.index() % 7)
				.mapToObj((i) -> NewPayload.of("id" + i, bytes("p")))
				.toList();
			this.store.shardStore().push(shard, pushes);
		}
		assertThat(this.store.inspection().counts(shards))
			.isEqualTo(shards.stream().map(this.store.inspection()::counts).toList())
			.extracting(ShardCounts::fresh)
			.startsWith(1L, 2L, 3L);
		assertThat(this.store.inspection().counts(List.of())).isEmpty();
	}

	@Test
	void countsTellTheStatesApart() {
		TestOwner owner = owner("s");
		bury(owner, "dead-1", "p");
		bury(owner, "dead-2", "p");
		fail(owner, "retry", "p", 60_000);
		push("done", "p");
		owner.fetch(1);
		owner.finish(new Outcome.Done("done"));
		push("busy", "p");
		owner.fetch(1);
		pushIn(1_000, "fresh-1", "p");
		pushIn(2_000, "fresh-2", "p");
		pushIn(3_000, "fresh-3", "p");
		ShardCounts counts = counts();
		assertThat(counts.fresh()).isEqualTo(3);
		assertThat(counts.retry()).isEqualTo(1);
		assertThat(counts.busy()).isEqualTo(1);
		assertThat(counts.dead()).isEqualTo(2);
		assertThat(counts.processed()).isEqualTo(1);
		assertThat(counts.failed()).isEqualTo(3);
		assertThat(counts.oldest()).isEqualTo(now() + 1_000);
	}

	@Test
	void lagIsTheAgeOfTheOldestDueJob() {
		pushIn(1_000, "later", "p");
		assertThat(counts().lag()).isZero();
		push("line", "p");
		this.clock.advanceMillis(500);
		assertThat(counts().lag()).isEqualTo(500);
		pushIn(-700, "older", "p");
		assertThat(counts().lag()).isEqualTo(700);
	}

	@Test
	void oldestCountsSuspectsToo() {
		push("a", "p");
		crash("a", 1);
		this.clock.advanceMillis(10);
		assertThat(counts().oldest()).isEqualTo(now() - 10);
	}

	@Test
	void findBringsAsManyPayloadsAsAskedForAndCountsAll() {
		push("a", "p3", 3);
		push("a", "p1", 1);
		push("a", "p2", 2);
		JobView job = this.store.inspection().find(SHARD, State.QUEUED, "a", 2).orElseThrow();
		assertThat(texts(job.payloads())).containsExactly("p1", "p2");
		assertThat(job.payloadCount()).isEqualTo(3);
		assertThat(this.store.inspection().find(SHARD, State.QUEUED, "a", 0).orElseThrow().payloads()).isEmpty();
	}

	@Test
	void findLooksInOneStateOnly() {
		push("a", "p");
		assertThat(this.store.inspection().find(SHARD, State.BUSY, "a", 1)).isEmpty();
		assertThat(this.store.inspection().find(SHARD, State.DEAD, "a", 1)).isEmpty();
		assertThat(this.store.inspection().find(SHARD, State.QUEUED, "b", 1)).isEmpty();
	}

	@Test
	void busyJobIsShownAsItWasFetched() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p", 0);
		owner.fetch(1);
		JobView job = busy("a");
		assertThat(job.shard()).isEqualTo(SHARD);
		assertThat(job.state()).isEqualTo(State.BUSY);
		assertThat(job.performAt()).isEqualTo(now());
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("failed a");
	}

	@Test
	void listOfAnEmptyShardIsEmpty() {
		for (State state : State.values()) {
			assertThat(list(JobQuery.first(state, Order.ID, 10))).isEqualTo(new JobPage(List.of(), null));
			assertThat(list(JobQuery.first(state, Order.PERFORM_AT, 10))).isEqualTo(new JobPage(List.of(), null));
		}
	}

	@Test
	void listShowsTheSameAsFind() {
		push("a", "p1");
		push("a", "p2");
		assertThat(list(queued(Order.ID, 10)).jobs()).containsExactly(queued("a"));
		assertThat(list(queued(Order.PERFORM_AT, 10)).jobs()).containsExactly(queued("a"));
	}

	@Test
	void listBringsAsManyPayloadsAsAskedFor() {
		push("a", "p1");
		push("a", "p2");
		JobQuery query = new JobQuery(State.QUEUED, Order.ID, false, null, null, null, 10, 1);
		assertThat(texts(list(query).jobs().get(0).payloads())).containsExactly("p1");
		assertThat(list(query).jobs().get(0).payloadCount()).isEqualTo(2);
	}

	@Test
	void idsAreListedByUnsignedBytesForwardsAndBackwards() {
		pushAt(0, "b", "a1", "\uD83D\uDE00", "a", "\uFFFD", "Z", "ä");
		List<String> expected = List.of("Z", "a", "a1", "b", "ä", "\uFFFD", "\uD83D\uDE00");
		assertThat(pages(queued(Order.ID, 2))).isEqualTo(expected);
		assertThat(pages(queued(Order.ID, 2).backwards())).isEqualTo(reversed(expected));
	}

	@Test
	void idsAreListedFromABoundIncluded() {
		pushAt(0, "a", "b", "c", "d");
		assertThat(pages(queued(Order.ID, 2).from("b"))).containsExactly("b", "c", "d");
		assertThat(pages(queued(Order.ID, 2).from("bb"))).containsExactly("c", "d");
		assertThat(pages(queued(Order.ID, 2).from("c").backwards())).containsExactly("c", "b", "a");
	}

	@Test
	void idsAreListedByPrefix() {
		pushAt(0, "a", "ab", "ab1", "ab2", "ab\uFFFD", "ac", "Ab");
		push("ab0", "in line");
		assertThat(pages(queued(Order.ID, 2).withPrefix("ab"))).containsExactly("ab", "ab0", "ab1", "ab2", "ab\uFFFD");
		assertThat(pages(queued(Order.ID, 2).withPrefix("ab").backwards())).containsExactly("ab\uFFFD", "ab2", "ab1",
				"ab0", "ab");
		assertThat(pages(queued(Order.ID, 2).withPrefix("x"))).isEmpty();
	}

	@Test
	void prefixWithCharactersOfAPatternIsTakenLiterally() {
		pushAt(0, "a*b", "aab", "a?b", "[a]b", "\\a");
		assertThat(pages(queued(Order.ID, 2).withPrefix("a*"))).containsExactly("a*b");
		assertThat(pages(queued(Order.ID, 2).withPrefix("a?"))).containsExactly("a?b");
		assertThat(pages(queued(Order.ID, 2).withPrefix("[a]"))).containsExactly("[a]b");
		assertThat(pages(queued(Order.ID, 2).withPrefix("\\"))).containsExactly("\\a");
	}

	@Test
	void performAtIsListedForwardsAndBackwardsOverTies() {
		pushAt(now() - 2, "early");
		pushAt(now() + 3, "late");
		pushAt(now(), "d", "c", "b", "a");
		push(NewPayload.of("y", bytes("p")), NewPayload.of("x", bytes("p")));
		List<String> forwards = pages(queued(Order.PERFORM_AT, 3));
		assertThat(forwards).startsWith("early").endsWith("late");
		assertThat(forwards).containsExactlyInAnyOrder("early", "a", "b", "c", "d", "x", "y", "late");
		assertThat(pages(queued(Order.PERFORM_AT, 100))).isEqualTo(forwards);
		assertThat(pages(queued(Order.PERFORM_AT, 1))).isEqualTo(forwards);
		assertThat(pages(queued(Order.PERFORM_AT, 3).backwards())).isEqualTo(reversed(forwards));
		assertThat(pages(queued(Order.PERFORM_AT, 1).backwards())).isEqualTo(reversed(forwards));
	}

	@Test
	void performAtIsListedFromABoundIncluded() {
		pushAt(1, "a");
		pushAt(2, "b");
		pushAt(3, "c");
		push("now", "p");
		assertThat(pages(queued(Order.PERFORM_AT, 2).from("2"))).containsExactly("b", "c", "now");
		assertThat(pages(queued(Order.PERFORM_AT, 2).from("2").backwards())).containsExactly("b", "a");
	}

	@Test
	void jobsInLineAndOthersAreListedTogetherByPerformAt() {
		push("line-1", "p");
		this.clock.advanceMillis(10);
		push("line-2", "p");
		pushIn(-5, "between", "p");
		pushIn(5, "after", "p");
		List<String> expected = List.of("line-1", "between", "line-2", "after");
		assertThat(pages(queued(Order.PERFORM_AT, 1))).isEqualTo(expected);
		assertThat(pages(queued(Order.PERFORM_AT, 3).backwards())).isEqualTo(reversed(expected));
	}

	@Test
	void jobThatLeftTheLineAndGotInAgainIsListedOnce() {
		push("a", "p");
		push("b", "p");
		this.store.actions().delete(SHARD, List.of("a", "b"));
		push("a", "p");
		this.clock.advanceMillis(1);
		push("b", "p");
		pushIn(5, "x", "p");
		pushIn(6, "y", "p");
		List<String> expected = List.of("a", "b", "x", "y");
		for (int limit = 1; limit <= 5; limit++) {
			assertThat(pages(queued(Order.PERFORM_AT, limit))).isEqualTo(expected);
			assertThat(pages(queued(Order.PERFORM_AT, limit).backwards())).isEqualTo(reversed(expected));
			assertThat(pages(queued(Order.RETRY_COUNT, limit))).containsExactlyInAnyOrderElementsOf(expected);
		}
		assertThat(pages(queued(Order.PERFORM_AT, 1).from(Long.toString(now())))).containsExactly("b", "x", "y");
		assertThat(pages(queued(Order.PERFORM_AT, 1).from(Long.toString(now())).backwards())).containsExactly("b", "a");
	}

	@Test
	void retryCountIsListedForwardsAndBackwardsOverTies() {
		TestOwner owner = owner("s");
		fail(owner, "twice", "p", 0);
		owner.fetch(1);
		owner.finish(new Outcome.Retry("twice", 60_000, "e"));
		fail(owner, "once-b", "p", 60_000);
		fail(owner, "once-a", "p", 60_000);
		pushAt(now() + 5, "fresh-b", "fresh-a");
		push("fresh-c", "p");
		List<String> forwards = pages(queued(Order.RETRY_COUNT, 2));
		assertThat(forwards).hasSize(6).endsWith("twice");
		assertThat(forwards.subList(0, 3)).containsExactlyInAnyOrder("fresh-a", "fresh-b", "fresh-c");
		assertThat(pages(queued(Order.RETRY_COUNT, 1))).isEqualTo(forwards);
		assertThat(pages(queued(Order.RETRY_COUNT, 2).backwards())).isEqualTo(reversed(forwards));
		assertThat(pages(queued(Order.RETRY_COUNT, 2).from("0"))).containsExactlyInAnyOrder("once-a", "once-b",
				"twice");
		assertThat(pages(queued(Order.RETRY_COUNT, 2).from("0").backwards())).startsWith("once-b").hasSize(5);
	}

	@Test
	void deadJobsAreListedByTheTimeOfBurial() {
		TestOwner owner = owner("s");
		bury(owner, "c", "p");
		this.clock.advanceMillis(1);
		bury(owner, "a", "p");
		bury(owner, "b", "p");
		List<String> forwards = pages(JobQuery.first(State.DEAD, Order.PERFORM_AT, 1));
		assertThat(forwards).startsWith("c").containsExactlyInAnyOrder("a", "b", "c");
		assertThat(pages(JobQuery.first(State.DEAD, Order.PERFORM_AT, 2).backwards())).isEqualTo(reversed(forwards));
		assertThat(pages(JobQuery.first(State.DEAD, Order.PERFORM_AT, 2).from(Long.toString(now()))))
			.containsExactlyInAnyOrder("a", "b");
		assertThat(pages(JobQuery.first(State.DEAD, Order.ID, 2))).containsExactly("a", "b", "c");
		assertThat(pages(JobQuery.first(State.DEAD, Order.ID, 2).withPrefix("b"))).containsExactly("b");
	}

	@Test
	void busyJobsAreListed() {
		TestOwner owner = owner("s");
		pushAt(2, "b");
		pushAt(3, "a");
		pushAt(1, "c");
		owner.fetch(10);
		assertThat(pages(JobQuery.first(State.BUSY, Order.ID, 2))).containsExactly("a", "b", "c");
		assertThat(pages(JobQuery.first(State.BUSY, Order.PERFORM_AT, 2))).containsExactly("c", "b", "a");
		assertThat(pages(JobQuery.first(State.BUSY, Order.PERFORM_AT, 2).backwards())).containsExactly("a", "b", "c");
	}

	@Test
	void pageThatHoldsAllHasNoNext() {
		pushAt(0, "a", "b");
		for (Order order : Order.values()) {
			assertThat(list(queued(order, 3)).next()).isNull();
			assertThat(list(queued(order, 1)).next()).isNotNull();
		}
	}

	@Test
	void pagingGoesOnWhenTheLastJobOfThePageIsGone() {
		pushAt(0, "a", "b", "c", "d");
		for (Order order : List.of(Order.ID, Order.PERFORM_AT)) {
			JobPage page = list(queued(order, 2));
			String last = page.jobs().get(1).id();
			this.store.actions().delete(SHARD, List.of(last));
			assertThat(pages(queued(order, 2).after(page.next()))).containsExactly("c", "d");
			pushAt(0, last);
		}
	}

	@Test
	void queryThatMakesNoSenseIsRefused() {
		refused(new JobQuery(State.QUEUED, Order.ID, false, null, null, null, 0, 10));
		refused(new JobQuery(State.QUEUED, Order.ID, false, null, null, null, 1_001, 10));
		refused(new JobQuery(State.QUEUED, Order.ID, false, null, null, null, 10, -1));
		refused(new JobQuery(State.QUEUED, Order.ID, false, null, null, null, 10, 1_001));
		refused(queued(Order.PERFORM_AT, 10).withPrefix("a"));
		refused(queued(Order.PERFORM_AT, 10).from("x"));
		refused(JobQuery.first(State.DEAD, Order.RETRY_COUNT, 10));
		refused(JobQuery.first(State.BUSY, Order.RETRY_COUNT, 10));
		refused(queued(Order.PERFORM_AT, 10).after("nonsense"));
	}

	private void refused(JobQuery query) {
		assertThatExceptionOfType(InvalidJobException.class).as(query.toString()).isThrownBy(() -> list(query));
	}

	private static List<String> reversed(List<String> ids) {
		List<String> reversed = new ArrayList<>(ids);
		Collections.reverse(reversed);
		return reversed;
	}

}
