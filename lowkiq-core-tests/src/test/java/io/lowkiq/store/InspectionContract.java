package io.lowkiq.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The read side, for people. */
abstract class InspectionContract extends StoreContract {

	private JobPage list(JobQuery query) {
		return this.store.inspection().list(SHARD, query);
	}

	/** The ids of all pages, of which none is longer than the query allows. */
	private List<String> pages(JobQuery query) {
		List<String> ids = new ArrayList<>();
		int calls = 0;
		JobPage page = list(query);
		while (true) {
			assertThat(page.jobs()).hasSizeLessThanOrEqualTo(query.limit());
			page.jobs().forEach((job) -> ids.add(job.id()));
			if (page.next() == null) {
				return ids;
			}
			assertThat(calls++).as("pages come to an end").isLessThan(10_000);
			page = list(query.after(page.next()));
		}
	}

	private static JobQuery first(JobList list, int limit) {
		return JobQuery.first(list, limit);
	}

	private void enqueueAt(long performAt, String... ids) {
		for (String id : ids) {
			enqueue(NewPayload.of(id, bytes("p")).withPerformAt(performAt));
		}
	}

	@Test
	void emptyShardHasEmptyCounts() {
		assertThat(counts()).isEqualTo(new ShardCounts(SHARD, 0, 0, 0, 0, 0, 0, FetchResult.NOTHING, 0, 0, false, null,
				0, 0, now(), 0, false, 0, 0, FetchResult.NOTHING, List.of()));
		thenCounts().lag(0);
	}

	@Test
	void countsOfManyShardsAreThoseOfEachInTheirOrder() {
		List<Shard> shards = new QueueLayout("orders", 1, 50).allShards();
		know(shards.toArray(Shard[]::new));
		for (Shard shard : shards) {
			List<NewPayload> payloads = IntStream.rangeClosed(0, shard.index() % 7)
				.mapToObj((i) -> NewPayload.of("id" + i, bytes("p")))
				.toList();
			this.store.shards().enqueue(shard, payloads);
		}
		assertThat(this.store.inspection().counts(shards))
			.isEqualTo(shards.stream().map(this.store.inspection()::counts).toList())
			.extracting(ShardCounts::fresh)
			.startsWith(1L, 2L, 3L);
		assertThat(this.store.inspection().counts(List.of())).isEmpty();
	}

	@Test
	void countsKeepTheStatesApart() {
		TestOwner owner = owner("s");
		bury("dead-1", "p");
		bury("dead-2", "p");
		fail("retry", "p", 60_000);
		enqueue("done", "p");
		owner.fetch(1);
		owner.complete(done("done"));
		enqueue("busy", "p");
		owner.fetch(1);
		enqueueIn(1_000, "fresh-1", "p");
		enqueueIn(2_000, "fresh-2", "p");
		enqueueIn(0, "due", "p");
		enqueue("busy", "behind");
		thenCounts().retry(1).busy(1).dead(2).processed(1).failed(3).fresh(4).delayed(3).oldest(now());
	}

	@Test
	void lagIsTheAgeOfTheOldestDueJob() {
		enqueueIn(1_000, "later", "p");
		thenCounts().lag(0);
		enqueue("ready", "p");
		this.clock.advanceMillis(500);
		thenCounts().lag(500);
		enqueueIn(-700, "older", "p");
		thenCounts().lag(700);
	}

	@Test
	void oldestCountsSuspectsToo() {
		crash("a", 2, "p");
		this.clock.advanceMillis(10);
		thenCounts().oldest(now() - 10);
	}

	@Test
	void findBringsAsManyPayloadsAsAskedForAndCountsAll() {
		enqueue("a", "p3", 3);
		enqueue("a", "p1", 1);
		enqueue("a", "p2", 2);
		JobView job = this.store.inspection().find(SHARD, State.QUEUED, "a", 2).orElseThrow();
		then(job).has("p1", "p2");
		assertThat(job.payloadCount()).isEqualTo(3);
		assertThat(this.store.inspection().find(SHARD, State.QUEUED, "a", 0).orElseThrow().payloads()).isEmpty();
	}

	@Test
	void findLooksInOneStateOnly() {
		enqueue("a", "p");
		assertThat(this.store.inspection().find(SHARD, State.BUSY, "a", 1)).isEmpty();
		assertThat(this.store.inspection().find(SHARD, State.DEAD, "a", 1)).isEmpty();
		assertThat(this.store.inspection().find(SHARD, State.QUEUED, "b", 1)).isEmpty();
	}

	@Test
	void busyJobIsShownAsItWasFetched() {
		TestOwner owner = owner("s");
		fail("a", "p", 0);
		owner.fetch(1);
		JobView job = busy("a");
		assertThat(job.shard()).isEqualTo(SHARD);
		assertThat(job.state()).isEqualTo(State.BUSY);
		then(job).performAt(now()).retryCount(0).error("failed a");
	}

	@Test
	void listOfAnEmptyShardIsEmpty() {
		for (JobList list : JobList.values()) {
			assertThat(list(first(list, 10))).as(list.name()).isEqualTo(new JobPage(List.of(), null));
		}
	}

	@Test
	void dueJobsOfAllPlacesComeOldestFirst() {
		TestOwner owner = owner("s");
		List.of("r0", "r1", "r2").forEach((id) -> fail(id, "p", 1_000));
		enqueueIn(60_000, "later", "p");
		this.clock.advanceMillis(500);
		enqueueEach("a", "b");
		this.clock.advanceMillis(1_000);
		enqueue("c", "p");
		assertThat(ids(first(JobList.DUE, 10))).containsExactly("a", "b", "r0", "r1", "r2", "c");
		assertThat(ids(first(JobList.SCHEDULED, 10))).containsExactly("later");
		for (int limit = 1; limit <= 6; limit++) {
			assertThat(pages(first(JobList.DUE, limit))).as("pages of %d", limit)
				.containsExactly("a", "b", "r0", "r1", "r2", "c");
		}
		assertThat(ids(first(JobList.DUE, 10).withPrefix("r"))).containsExactly("r0", "r1", "r2");
		owner.fetch(10);
		assertThat(ids(first(JobList.DUE, 10))).isEmpty();
	}

	@Test
	void scheduledJobsAreThoseThatAreDueLater() {
		enqueueIn(1_000, "a", "p");
		enqueueIn(2_000, "b", "p");
		enqueueIn(3_000, "c", "p");
		enqueueIn(4_000, "held", "p");
		actions().hold(SHARD, List.of("held"));
		this.clock.advanceMillis(1_500);
		JobQuery query = first(JobList.SCHEDULED, 1);
		assertThat(ids(first(JobList.SCHEDULED, 10))).containsExactly("b", "c");
		assertThat(ids(first(JobList.SCHEDULED, 10).backwards())).containsExactly("c", "b");
		assertThat(ids(query.after(list(query).next()))).containsExactly("c");
		thenCounts().delayed(2);
	}

	private List<String> ids(JobQuery query) {
		return list(query).jobs().stream().map(JobView::id).toList();
	}

	@Test
	void countsPassOverEntriesOfDeletedJobs() {
		enqueue("a", "p");
		this.clock.advanceMillis(10);
		enqueue("b", "p");
		actions().delete(SHARD, List.of("a"));
		thenCounts().oldest(now());
		actions().delete(SHARD, List.of("b"));
		thenCounts().oldest(FetchResult.NOTHING);
	}

	@Test
	void listShowsTheSameAsFind() {
		enqueue("a", "p1", "p2");
		assertThat(list(first(JobList.QUEUED, 10)).jobs()).containsExactly(queued("a"));
		assertThat(list(first(JobList.READY, 10)).jobs()).containsExactly(queued("a"));
		TestOwner owner = owner("s");
		owner.fetch(1);
		assertThat(list(first(JobList.BUSY, 10)).jobs()).containsExactly(busy("a"));
		owner.complete(retryAsSuspect("a", 5, "e"));
		assertThat(list(first(JobList.SUSPECTS, 10)).jobs()).containsExactly(queued("a"));
		assertThat(list(first(JobList.RETRIES, 10)).jobs()).containsExactly(queued("a"));
		actions().killAllFailed(SHARD, 10);
		assertThat(list(first(JobList.DEAD, 10)).jobs()).containsExactly(dead("a"));
		enqueueIn(5, "b", "p");
		assertThat(list(first(JobList.DELAYED, 10)).jobs()).containsExactly(queued("b"));
	}

	@Test
	void listBringsAsManyPayloadsAsAskedFor() {
		enqueue("a", "p1", "p2");
		for (int payloads = 0; payloads <= 3; payloads++) {
			JobView job = list(new JobQuery(JobList.QUEUED, false, null, null, 10, payloads)).jobs().get(0);
			assertThat(job.payloads()).hasSize(Math.min(payloads, 2));
			assertThat(job.payloadCount()).isEqualTo(2);
		}
	}

	@Test
	void queuedAndBusyJobsAreListedWhole() {
		TestOwner owner = owner("s");
		List<String> ids = IntStream.range(0, 300).mapToObj((i) -> "id-" + i).toList();
		ids.forEach((id) -> enqueue(id, "p"));
		assertThat(pages(first(JobList.QUEUED, 7))).containsExactlyInAnyOrderElementsOf(ids);
		owner.fetch(300);
		ids.subList(0, 100).forEach((id) -> enqueue(id, "behind"));
		assertThat(pages(first(JobList.BUSY, 7))).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(pages(first(JobList.QUEUED, 7))).containsExactlyInAnyOrderElementsOf(ids.subList(0, 100));
		assertThat(pages(first(JobList.READY, 7))).isEmpty();
		assertThat(pages(first(JobList.DELAYED, 7))).isEmpty();
	}

	@Test
	void readyJobsAreListedInTheirOrderForwardsAndBackwards() {
		enqueueEach("c", "a", "d", "b");
		enqueueIn(-5, "delayed", "p");
		assertOrder(JobList.READY, "c", "a", "d", "b");
	}

	@Test
	void deletedJobIsNotListedAndOneEnqueuedAgainIsOnceOnAPage() {
		enqueueEach("a", "b", "c");
		actions().delete(SHARD, List.of("b", "c"));
		assertThat(pages(first(JobList.READY, 10))).containsExactly("a");
		enqueue("b", "p");
		assertThat(pages(first(JobList.READY, 10))).containsExactly("a", "b");
		assertThat(pages(first(JobList.READY, 10).backwards())).containsExactly("b", "a");
	}

	@Test
	void delayedJobsAreListedByPerformAtForwardsAndBackwardsOverTies() {
		enqueueAt(now() - 2, "early");
		enqueueAt(now() + 3, "late");
		enqueueAt(now(), "b", "\uD83D\uDE00", "a1", "a", "\uFFFD", "Z", "ä");
		enqueue("ready", "p");
		assertOrder(JobList.DELAYED, "early", "Z", "a", "a1", "b", "ä", "\uFFFD", "\uD83D\uDE00", "late");
	}

	@Test
	void suspectsAreListedByPerformAt() {
		TestOwner owner = performingEach("a", "b", "c");
		owner.complete(retryAsSuspect("a", 3, "e"), retryAsSuspect("b", 1, "e"), retry("c", 2, "e"));
		assertOrder(JobList.SUSPECTS, "b", "a");
		assertThat(pages(first(JobList.DELAYED, 1))).containsExactly("c");
	}

	@Test
	void retriesAreListedByRetryCountForwardsAndBackwardsOverTies() {
		TestOwner owner = owner("s");
		fail("twice", "p", 0);
		owner.fetch(1);
		owner.complete(retry("twice", 60_000, "e"));
		fail("once-b", "p", 60_000);
		fail("once-a", "p", 60_000);
		enqueueAt(now() + 5, "fresh-b", "fresh-a");
		enqueue("fresh-c", "p");
		assertOrder(JobList.RETRIES, "once-a", "once-b", "twice");
	}

	@Test
	void deadJobsAreListedByTheTimeOfBurial() {
		TestOwner owner = owner("s");
		bury("c", "p");
		this.clock.advanceMillis(1);
		bury("b", "p");
		bury("a", "p");
		assertOrder(JobList.DEAD, "c", "a", "b");
	}

	@Test
	void everyListMayBeSearchedByPrefix() {
		TestOwner owner = owner("s");
		List<String> all = List.of("a", "ab", "ab1", "ab2", "ab\uFFFD", "ac", "Ab", "b");
		List<String> expected = List.of("ab", "ab1", "ab2", "ab\uFFFD");
		all.forEach((id) -> enqueue(id, "p"));
		assertPrefix(JobList.QUEUED, expected);
		assertPrefix(JobList.READY, expected);
		owner.fetch(10);
		assertPrefix(JobList.BUSY, expected);
		all.forEach((id) -> owner.complete(retry(id, 0, "e")));
		assertPrefix(JobList.DELAYED, expected);
		assertPrefix(JobList.RETRIES, expected);
		owner.fetch(10);
		all.forEach((id) -> owner.complete(retryAsSuspect(id, 0, "e")));
		assertPrefix(JobList.SUSPECTS, expected);
		actions().killAllFailed(SHARD, 10);
		assertPrefix(JobList.DEAD, expected);
	}

	private void assertPrefix(JobList list, List<String> expected) {
		for (int limit = 1; limit <= 5; limit++) {
			assertThat(pages(first(list, limit).withPrefix("ab"))).as(list.name())
				.containsExactlyInAnyOrderElementsOf(expected);
		}
		assertThat(pages(first(list, 2).withPrefix("x"))).isEmpty();
	}

	@Test
	void prefixWithCharactersOfAPatternIsTakenLiterally() {
		enqueueAt(0, "a*b", "aab", "a?b", "[a]b", "\\a", "a\\*");
		for (JobList list : List.of(JobList.QUEUED, JobList.DELAYED)) {
			assertThat(pages(first(list, 2).withPrefix("a*"))).containsExactly("a*b");
			assertThat(pages(first(list, 2).withPrefix("a?"))).containsExactly("a?b");
			assertThat(pages(first(list, 2).withPrefix("[a]"))).containsExactly("[a]b");
			assertThat(pages(first(list, 2).withPrefix("\\"))).containsExactly("\\a");
		}
	}

	@Test
	void prefixMayEndWithHalfACharacter() {
		enqueueAt(0, "a\uD83D\uDE00", "a\uFFFD", "a?", "a");
		assertThat(pages(first(JobList.DELAYED, 2).withPrefix("a\uD83D"))).containsExactly("a\uD83D\uDE00");
	}

	@Test
	void prefixIsFoundAmongManyOthers() {
		List<NewPayload> payloads = IntStream.range(0, 5_000)
			.mapToObj((i) -> NewPayload.of("other-" + i, bytes("p")).withPerformAt(i))
			.toList();
		this.store.shards().enqueue(SHARD, payloads);
		enqueueAt(2_500, "wanted-1");
		enqueueAt(9_000, "wanted-2");
		assertThat(pages(first(JobList.DELAYED, 10).withPrefix("wanted"))).containsExactly("wanted-1", "wanted-2");
		assertThat(pages(first(JobList.DELAYED, 10).withPrefix("wanted").backwards())).containsExactly("wanted-2",
				"wanted-1");
		assertThat(pages(first(JobList.QUEUED, 10).withPrefix("wanted"))).containsExactlyInAnyOrder("wanted-1",
				"wanted-2");
	}

	@Test
	void pageThatHoldsAllOfAnOrderedListHasNoNext() {
		enqueueAt(0, "a", "b");
		assertThat(list(first(JobList.DELAYED, 3)).next()).isNull();
		assertThat(list(first(JobList.DELAYED, 1)).next()).isNotNull();
	}

	@Test
	void pagingGoesOnWhenTheLastJobOfThePageIsGone() {
		enqueueAt(0, "a", "b", "c", "d");
		JobQuery query = first(JobList.DELAYED, 2);
		JobPage page = list(query);
		actions().delete(SHARD, List.of("b"));
		assertThat(pages(query.after(page.next()))).containsExactly("c", "d");
	}

	@Test
	void queryThatMakesNoSenseIsRefused() {
		for (JobList list : JobList.values()) {
			refused(() -> first(list, 0), "limit");
			refused(() -> first(list, 1_001), "limit");
			refused(() -> new JobQuery(list, false, null, null, 10, -1), "payloads");
			refused(() -> new JobQuery(list, false, null, null, 10, 1_001), "payloads");
			refused(() -> list(first(list, 10).after("nonsense")), "token");
		}
		refused(() -> first(JobList.QUEUED, 10).backwards(), "order");
		refused(() -> first(JobList.BUSY, 10).backwards(), "order");
	}

	private static void refused(ThrowingCallable query, String message) {
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(query).withMessageContaining(message);
	}

	/** Reads a list forwards and backwards, by pages of different lengths. */
	private void assertOrder(JobList list, String... expected) {
		List<String> ids = List.of(expected);
		List<String> reversed = new ArrayList<>(ids);
		Collections.reverse(reversed);
		for (int limit : new int[] { 1, 2, 3, 4, 5, 100 }) {
			assertThat(pages(first(list, limit))).as("%s by %d", list, limit).isEqualTo(ids);
			assertThat(pages(first(list, limit).backwards())).as("%s by %d", list, limit).isEqualTo(reversed);
		}
	}

}
