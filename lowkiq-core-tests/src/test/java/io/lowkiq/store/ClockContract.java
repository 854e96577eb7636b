package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when the clock goes back while more jobs are due than one call looks at:
 * what was due stays due, and what comes then waits by the new clock.
 */
abstract class ClockContract extends StoreContract {

	private static final long HOUR = 3_600_000;

	private static final long DELAY = 600_000;

	/** The number of jobs that are due when the clock goes back. */
	int dueJobs() {
		return 1_200;
	}

	/** The call that sees first that the clock has gone back. */
	enum FirstCall {

		ENQUEUE, FETCH, ACQUIRE, RELEASE

	}

	/** Fetches until the owner is not to call again at once. */
	List<String> fetchAll(TestOwner owner) {
		List<String> fetched = new ArrayList<>();
		FetchResult.Fetched answer;
		do {
			answer = owner.applied(List.of(), new Fetch(1_000, 1_000, true));
			fetched.addAll(ids(answer));
		}
		while (answer.next() <= now() || answer.nextSuspect() <= now());
		assertThat(fetched).doesNotHaveDuplicates();
		return fetched;
	}

	Set<String> enqueueDue(int count) {
		List<NewPayload> payloads = IntStream.range(0, count)
			.mapToObj((i) -> NewPayload.of("due " + i, bytes("p")).withPerformAt(now()))
			.toList();
		for (int i = 0; i < count; i += 1_000) {
			this.store.shards().enqueue(SHARD, payloads.subList(i, Math.min(count, i + 1_000)));
		}
		return new HashSet<>(payloads.stream().map(NewPayload::id).toList());
	}

	/** Due jobs, which the store has seen when its clock goes back. */
	private Set<String> enqueueDueAndGoBack() {
		Set<String> due = enqueueDue(dueJobs());
		this.owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		return due;
	}

	private static void assertOnly(List<String> fetched, Set<String> expected) {
		assertThat(fetched).hasSize(expected.size());
		assertThat(expected.containsAll(fetched)).as("only due jobs").isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void whatComesWhileDueJobsAreMovedKeepsItsDelay(FirstCall first) {
		keepsItsDelay(dueJobs(), first);
	}

	/**
	 * A new job, a retry, a suspect's retry and a job behind its busy id keep their
	 * delay.
	 */
	void keepsItsDelay(int count, FirstCall first) {
		TestOwner owner = performingEach("failing", "exhausting", "busy", "returned");
		Set<String> due = enqueueDue(count);
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		if (first == FirstCall.ENQUEUE) {
			enqueueIn(DELAY, "new", "p");
		}
		Outcome retry = retry("failing", DELAY, "e");
		Outcome suspect = retryAsSuspect("exhausting", DELAY, "e");
		if (first == FirstCall.ACQUIRE) {
			owner.again(owner.lastSequence() + 1);
		}
		if (first == FirstCall.RELEASE) {
			owner.release(retry, suspect);
			due.addAll(List.of("busy", "returned"));
			owner = owner("t");
			enqueueIn(DELAY, "busy", "p2");
			due.remove("busy");
			enqueueIn(DELAY, "new", "p");
			assertOnly(fetchAll(owner), union(due, "busy"));
		}
		else {
			owner.complete(retry, suspect, returned("returned"));
			enqueueIn(DELAY, "new", "p");
			enqueueIn(DELAY, "busy", "p2");
			owner.complete(done("busy"));
			assertOnly(fetchAll(owner), union(due, "returned"));
		}
		List<String> waiting = new ArrayList<>(List.of("failing", "exhausting", "new"));
		if (first != FirstCall.RELEASE) {
			waiting.add("busy");
		}
		this.clock.advanceMillis(DELAY - 1);
		assertThat(fetchAll(owner)).isEmpty();
		this.clock.advanceMillis(1);
		assertThat(fetchAll(owner)).containsExactlyInAnyOrderElementsOf(waiting);
	}

	private static Set<String> union(Set<String> ids, String id) {
		Set<String> all = new HashSet<>(ids);
		all.add(id);
		return all;
	}

	@Test
	void whatIsDueWhileOthersAreMovedIsDueAfterTheClockWentBackOnceMore() {
		TestOwner owner = owner("s");
		Set<String> due = enqueueDueAndGoBack();
		enqueueIn(10, "soon", "p");
		enqueueIn(DELAY, "later", "p");
		this.clock.advanceMillis(10);
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		enqueueIn(DELAY, "last", "p");
		assertOnly(fetchAll(owner), union(due, "soon"));
		this.clock.advanceMillis(DELAY);
		assertThat(fetchAll(owner)).containsExactly("last");
		this.clock.advanceMillis(HOUR - 10);
		assertThat(fetchAll(owner)).containsExactly("later");
	}

	@Test
	void whatWasDueIsDueAfterTheClockWentForwardsAgain() {
		TestOwner owner = owner("s");
		Set<String> due = enqueueDueAndGoBack();
		enqueueIn(DELAY, "a", "p");
		enqueueIn(HOUR + DELAY, "b", "p");
		this.clock.advanceMillis(HOUR);
		assertOnly(fetchAll(owner), union(due, "a"));
		enqueueIn(1, "c", "p");
		this.clock.advanceMillis(1);
		assertThat(fetchAll(owner)).containsExactly("c");
		this.clock.advanceMillis(DELAY - 1);
		assertThat(fetchAll(owner)).containsExactly("b");
	}

	@Test
	void mergingWithADueJobThatWasNotMovedYetDoesNotDelayIt() {
		TestOwner owner = owner("s");
		Set<String> due = enqueueDue(dueJobs());
		this.clock.advanceMillis(1);
		enqueueIn(0, "z", "p1");
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		enqueueIn(DELAY, "z", "p2");
		assertOnly(fetchAll(owner), union(due, "z"));
	}

	@Test
	void jobBehindItsBusyIdThatWasDueIsDueWhenItIsReleased() {
		TestOwner owner = performing("a", "p1");
		enqueueIn(50, "a", "p2");
		Set<String> due = enqueueDue(dueJobs());
		this.clock.advanceMillis(60);
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		assertOnly(fetchAll(owner), due);
		owner.complete(done("a"));
		assertThat(fetchAll(owner)).containsExactly("a");
	}

	@Test
	void suspectsThatWereDueAreDue() {
		TestOwner owner = owner("s");
		Set<String> due = enqueueDue(12);
		owner.fetch(12);
		owner.complete(due.stream().map((id) -> retryAsSuspect(id, 0, "e")).toArray(Outcome[]::new));
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(retryAsSuspect("a", DELAY, "e"));
		assertOnly(fetchAll(owner), due);
		this.clock.advanceMillis(DELAY);
		assertThat(fetchAll(owner)).containsExactly("a");
	}

	@Test
	void aSuspectThatComesMeanwhileIsDueAtItsTime() {
		TestOwner owner = performing("a", "p");
		enqueueDueAndGoBack();
		Outcome retry = retryAsSuspect("a", DELAY, "e");
		then(owner.applied(List.of(retry), Fetch.NONE)).nextSuspect(now() + DELAY);
	}

	@Test
	void peopleFindAndChangeWhatWaitsMeanwhile() {
		TestOwner owner = owner("s");
		Set<String> due = enqueueDueAndGoBack();
		for (String id : List.of("now", "deleted", "held", "waits")) {
			enqueueIn(DELAY, id, "p");
		}
		thenQueued("waits").performAt(now() + DELAY);
		thenCounts().queued(dueJobs() + 4);
		actions().performNow(SHARD, List.of("now"));
		actions().delete(SHARD, List.of("deleted"));
		actions().hold(SHARD, List.of("held"));
		assertOnly(fetchAll(owner), union(due, "now"));
		actions().release(SHARD, List.of("held"));
		assertThat(fetchAll(owner)).containsExactly("held");
		thenCounts().oldest(now() + DELAY);
		assertThat(listed(JobList.DELAYED)).containsExactly("waits");
	}

	@Test
	void readyJobsThatAreSweptStayDue() {
		TestOwner owner = owner("s");
		this.clock.advanceMillis(10);
		List<NewPayload> deleted = IntStream.range(0, 2_500)
			.mapToObj((i) -> NewPayload.of("deleted " + i, bytes("p")))
			.toList();
		enqueue("first", "p");
		this.store.shards().enqueue(SHARD, deleted);
		this.clock.goBackMillis(HOUR);
		actions().delete(SHARD, deleted.stream().map(NewPayload::id).toList());
		assertThat(listed(JobList.DELAYED)).containsExactly("first");
		assertThat(fetchAll(owner)).containsExactly("first");
	}

	private TestOwner owner(long debounce, long maxWait, long minInterval) {
		GatheringPolicy policy = new GatheringPolicy(Duration.ofMillis(debounce), Duration.ofMillis(maxWait),
				Duration.ofMillis(minInterval), false, false, false);
		return owner("owner", LeaseRequest.forFreeShard("owner").with(new Gathering(policy, 1_000)));
	}

	@ParameterizedTest
	@EnumSource(names = { "ENQUEUE", "FETCH" })
	void idsGatherNoLongerThanTheirQuietTime(FirstCall first) {
		TestOwner owner = owner(2_000, 5_000, 0);
		for (int i = 0; i < 10; i++) {
			enqueue("gathers " + i, "p1");
		}
		enqueueIn(1_500, "own time", "p");
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		if (first == FirstCall.ENQUEUE) {
			enqueue("gathers 0", "p2");
		}
		fetchAll(owner);
		for (int i = 0; i < 10; i++) {
			assertThat(dueIn("gathers " + i)).isEqualTo(2_000);
		}
		assertThat(dueIn("own time")).isEqualTo(HOUR + 1_500);
		for (int i = 0; i < 3; i++) {
			this.clock.advanceMillis(1_500);
			enqueue("gathers 1", "q" + i);
		}
		assertThat(dueIn("gathers 1")).isEqualTo(500);
		this.clock.advanceMillis(500);
		assertThat(fetchAll(owner)).hasSize(10);
	}

	@Test
	void idsGatherNoLongerUnderAnOwnerWithoutAPolicy() {
		TestOwner owner = owner(2_000, 5_000, 0);
		enqueue("a", "p");
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		TestOwner next = lapseTo("next");
		assertThat(dueIn("a")).isEqualTo(2_000);
		this.clock.advanceMillis(2_000);
		assertThat(fetchAll(next)).containsExactly("a");
	}

	@Test
	void gatheringBehindABusyIdIsBoundedWhenItIsReleased() {
		TestOwner owner = owner(2_000, 5_000, 0);
		enqueue("a", "p1");
		enqueue("b", "p1");
		this.clock.advanceMillis(2_000);
		assertThat(fetchAll(owner)).containsExactlyInAnyOrder("a", "b");
		enqueue("a", "p2");
		enqueue("b", "p2");
		this.clock.goBackMillis(HOUR);
		enqueue("b", "p3");
		assertThat(dueIn("b")).isEqualTo(2_000);
		owner.complete(done("a"), done("b"));
		assertThat(dueIn("a")).isEqualTo(2_000);
		assertThat(dueIn("b")).isEqualTo(2_000);
	}

	@Test
	void whatGathersBehindABusyIdWaitsNoLongerThanItsLongestWait() {
		TestOwner owner = owner(2_000, 5_000, 0);
		enqueue("a", "p1");
		this.clock.advanceMillis(2_000);
		assertThat(fetchAll(owner)).containsExactly("a");
		enqueue("a", "p2");
		this.clock.goBackMillis(HOUR);
		enqueue("a", "p3");
		for (int i = 0; i < 3; i++) {
			this.clock.advanceMillis(1_500);
			enqueue("a", "q" + i);
		}
		owner.complete(done("a"));
		assertThat(dueIn("a")).isEqualTo(500);
	}

	@Test
	void idsKeepNoMoreThanTheirDistance() {
		TestOwner owner = owner(0, 0, 2_000);
		for (int i = 0; i < 10; i++) {
			enqueue("rests " + i, "p1");
		}
		enqueue("fails", "p");
		fetchAll(owner);
		for (int i = 0; i < 10; i++) {
			owner.complete(done("rests " + i));
			enqueue("rests " + i, "p2");
		}
		owner.complete(retry("fails", 3_000, "e"));
		this.clock.goBackMillis(HOUR);
		fetchAll(owner);
		for (int i = 0; i < 10; i++) {
			assertThat(dueIn("rests " + i)).isEqualTo(2_000);
		}
		assertThat(dueIn("fails")).isEqualTo(HOUR + 3_000);
		enqueue("rests 0", "p3");
		assertThat(dueIn("rests 0")).isEqualTo(2_000);
		this.clock.advanceMillis(2_000);
		assertThat(fetchAll(owner)).hasSize(10);
	}

	@Test
	void jobThatWasDueDoesNotRestAgain() {
		TestOwner owner = owner(100, 200, 2_000);
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		assertThat(fetchAll(owner)).containsExactly("a");
		owner.complete(done("a"));
		enqueue("a", "p2");
		this.clock.advanceMillis(2_000);
		owner.fetch(0);
		this.clock.goBackMillis(HOUR);
		enqueue("a", "p3");
		assertThat(dueIn("a")).isEqualTo(100);
	}

}
