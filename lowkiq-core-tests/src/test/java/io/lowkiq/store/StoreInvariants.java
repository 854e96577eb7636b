package io.lowkiq.store;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Watches a storage while operations are made on it: no payload is lost or comes from
 * nowhere (I3, I5), payloads ascend (I2), no id is fetched while it is busy (I1), what is
 * refused changes nothing (I6), and every queued job is in the one index of its place.
 */
final class StoreInvariants implements RandomRun.Steps, ShardStore {

	/**
	 * A payload of an id, wherever it is.
	 *
	 * @param id the job's id
	 * @param text the payload
	 */
	private record Held(String id, String text) {
	}

	/** What changes payloads, and is judged where it is called, if at all. */
	private static final List<String> CHANGES = List.of("edit", "enqueue", "flood", "completeAndFetch", "release");

	private final TestedStore store;

	private final TestedStore watched;

	/** Busy ids that have been erased. */
	private final Set<String> erased = new HashSet<>();

	/** The number of the step after which each ready id became ready. */
	private final Map<String, Integer> readySince = new HashMap<>();

	private int steps;

	/** The performAt of the queued jobs that were due at the owner's last call. */
	private final Map<String, Long> due = new HashMap<>();

	/** All jobs, as they were read after the last call. */
	private @Nullable List<JobView> known;

	/** Whether payloads may be dropped, because the owner keeps only the latest. */
	private boolean drops;

	/** Whether groups have taken turns: then each has an order of its own. */
	private boolean inTurn;

	/** Invariants of a storage. */
	StoreInvariants(TestedStore store) {
		this.store = store;
		this.watched = store.with(this);
	}

	@Override
	public <T> T step(String description, Function<TestedStore, T> operation) {
		boolean changes = CHANGES.stream().anyMatch(description::startsWith);
		Set<Held> before = changes ? Set.of() : held(all());
		T answer = changed(operation.apply(this.watched));
		followErasures(description.startsWith("erase"));
		followReady();
		if (description.startsWith("delete") || description.startsWith("erase")) {
			assertAmong(before, held(all()));
		}
		else if (description.startsWith("bury")) {
			Set<Held> after = held(all());
			assertAmong(after, before);
			assertThat(after).hasSizeLessThanOrEqualTo(before.size() + 1);
		}
		else if (!changes) {
			assertKept(before);
		}
		return answer;
	}

	/** AssertJ compares each payload with each other one. */
	private static void assertAmong(Set<Held> all, Set<Held> some) {
		Set<Held> others = new HashSet<>(some);
		others.removeAll(all);
		assertThat(others).as("Payloads that are not among the %d others", all.size()).isEmpty();
	}

	/** Only while an id is busy, nothing is known of its payloads. */
	private void followErasures(boolean erasing) {
		Set<String> empty = in(JobView.State.BUSY).stream()
			.filter((job) -> job.payloadCount() == 0)
			.map(JobView::id)
			.collect(Collectors.toSet());
		this.erased.retainAll(empty);
		if (erasing) {
			this.erased.addAll(empty);
		}
	}

	/** What was due stays due, although the clock may have gone back. */
	private void followDue(FetchResult.Fetched fetched, Fetch fetch) {
		boolean isAll = fetched.jobs().size() < fetch.jobs()
				&& !this.store.inspection().counts(StoreContract.SHARD).paused();
		List<JobView> delayed = list(JobList.DELAYED);
		assertThat(delayed).as("Delayed jobs that were due before")
			.noneMatch((job) -> isAll && Objects.equals(this.due.get(job.id()), job.performAt()));
		this.due.clear();
		delayed.stream()
			.filter((job) -> job.performAt() <= fetched.now())
			.forEach((job) -> this.due.put(job.id(), job.performAt()));
	}

	private void followReady() {
		List<String> ready = list(JobList.READY).stream().map(JobView::id).toList();
		this.readySince.keySet().retainAll(ready);
		this.steps++;
		ready.forEach((id) -> this.readySince.putIfAbsent(id, this.steps));
	}

	@Override
	public void check() {
		List<JobView> queued = in(JobView.State.QUEUED);
		List<JobView> busy = in(JobView.State.BUSY);
		ShardCounts counts = this.store.inspection().counts(StoreContract.SHARD);
		assertThat(counts.queued()).isEqualTo(queued.size());
		assertThat(counts.busy()).isEqualTo(busy.size());
		assertThat(counts.dead()).isEqualTo(in(JobView.State.DEAD).size());
		assertThat(counts.retry()).isEqualTo(list(JobList.RETRIES).size());
		assertThat(all()).allMatch((job) -> job.payloadCount() > 0 || this.erased.contains(job.id()))
			.allMatch((job) -> ascend(job.payloads()));
		checkPlaces(queued, busy.stream().map(JobView::id).collect(Collectors.toSet()));
		this.store.checkLayout();
	}

	private void checkPlaces(List<JobView> queued, Set<String> busy) {
		List<JobView> ready = list(JobList.READY);
		List<JobView> delayed = list(JobList.DELAYED);
		List<JobView> suspects = list(JobList.SUSPECTS);
		List<JobView> behind = queued.stream().filter((job) -> busy.contains(job.id())).toList();
		assertThat(Stream.of(ready, delayed, suspects, behind).flatMap(List::stream))
			.as("Each queued job is in one index, or behind its busy id")
			.containsExactlyInAnyOrderElementsOf(queued);
		assertThat(list(JobList.RETRIES)).as("Retries")
			.containsExactlyInAnyOrderElementsOf(queued.stream()
				.filter((job) -> job.retryCount() >= 0 && job.performAt() != Long.MAX_VALUE)
				.toList())
			.isSortedAccordingTo(Comparator.comparingInt(JobView::retryCount));
		assertThat(ready).as("Ready jobs")
			.allMatch((job) -> this.inTurn || job.retryCount() == -1 && job.crashes() == 0);
		assertThat(behind).as("Jobs behind their ids").allMatch((job) -> job.retryCount() == -1 && job.crashes() == 0);
		assertThat(delayed).as("Delayed jobs")
			.allMatch((job) -> job.crashes() < SUSPECT_AFTER)
			.isSortedAccordingTo(Comparator.comparingLong(JobView::performAt));
		assertThat(suspects).as("Suspects")
			.allMatch((job) -> job.crashes() >= SUSPECT_AFTER)
			.isSortedAccordingTo(Comparator.comparingLong(JobView::performAt));
	}

	@Override
	public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
		Set<Held> expected = held(all());
		payloads.forEach((payload) -> expected
			.add(new Held(payload.id(), StoreContract.text(new Payload(payload.payload(), 0)))));
		List<JobView> busy = in(JobView.State.BUSY);
		EnqueueResult result = changed(this.store.shards().enqueue(shard, payloads));
		assertKept(expected);
		assertThat(in(JobView.State.BUSY)).isEqualTo(busy);
		return result;
	}

	@Override
	public boolean isQueued(Shard shard, String id) {
		return this.store.shards().isQueued(shard, id);
	}

	private void assertKept(Set<Held> expected) {
		if (this.drops) {
			assertAmong(expected, held(all()));
		}
		else {
			assertThat(held(all())).isEqualTo(expected);
		}
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
		List<JobView> before = all();
		Acquisition acquisition = changed(this.store.shards().acquire(shard, request).join());
		if (acquisition instanceof Acquisition.Acquired) {
			this.drops = request.gathering().policy().keepLatest();
		}
		if (acquisition instanceof Acquisition.Acquired acquired && !acquired.kept()) {
			assertThat(in(JobView.State.BUSY)).isEmpty();
		}
		else if (acquisition instanceof Acquisition.Acquired) {
			// What was due by a clock that has gone back since is due now
			assertThat(withoutTimes(all())).containsExactlyInAnyOrderElementsOf(withoutTimes(before));
		}
		else {
			assertThat(all()).isEqualTo(before);
		}
		return CompletableFuture.completedFuture(acquisition);
	}

	private static List<JobView> withoutTimes(List<JobView> jobs) {
		return jobs.stream()
			.map((job) -> new JobView(job.shard(), job.state(), job.id(), 0, job.retryCount(), job.crashes(),
					job.failure(), job.payloadCount(), job.payloads(), job.producers(), 0))
			.toList();
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch) {
		List<JobView> before = all();
		this.inTurn |= fetch.groups() != null;
		FetchResult result = changed(
				this.store.shards().completeAndFetch(lease, sequence, busy, outcomes, fetch).join());
		if (result instanceof FetchResult.Fetched fetched) {
			assertNothingLost(before, outcomes);
			assertFetched(before, fetched, fetch);
			followDue(fetched, fetch);
		}
		else {
			assertThat(all()).isEqualTo(before);
		}
		return CompletableFuture.completedFuture(result);
	}

	private void assertFetched(List<JobView> before, FetchResult.Fetched fetched, Fetch fetch) {
		Set<String> wereBusy = before.stream()
			.filter((job) -> job.state() == JobView.State.BUSY)
			.map(JobView::id)
			.collect(Collectors.toSet());
		List<FetchedJob> jobs = fetched.jobs();
		assertThat(jobs).extracting(FetchedJob::id)
			.doesNotHaveDuplicates()
			.hasSizeLessThanOrEqualTo(fetch.jobs())
			.noneMatch(wereBusy::contains);
		assertThat(in(JobView.State.BUSY)).extracting(JobView::id)
			.containsAll(jobs.stream().map(FetchedJob::id).toList());
		assertThat(jobs).allMatch((job) -> ascend(job.payloads()))
			.allMatch((job) -> job.payloads().size() <= fetch.payloads());
		List<FetchedJob> others = jobs.stream().filter((job) -> job.crashes() < SUSPECT_AFTER).toList();
		assertThat(jobs.subList(jobs.size() - others.size(), jobs.size())).as("A suspect comes first")
			.isEqualTo(others);
		assertThat(jobs.size() - others.size()).as("Suspects").isLessThanOrEqualTo(fetch.suspects() ? 1 : 0);
		if (this.inTurn) {
			return;
		}
		List<Integer> order = jobs.stream()
			.map((job) -> this.readySince.get(job.id()))
			.filter(Objects::nonNull)
			.toList();
		assertThat(order).as("Ready jobs are fetched in the order in which they became ready").isSorted();
		assertThat(list(JobList.READY)).as("Ready jobs that were not fetched")
			.allMatch((job) -> order.isEmpty() || this.readySince.get(job.id()) >= order.get(order.size() - 1));
	}

	@Override
	public BatchResult enqueueFenced(List<ShardPayloads> all, OutboxCall outbox) {
		return this.store.shards().enqueueFenced(all, outbox);
	}

	@Override
	public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
			Remembered remembered) {
		return this.store.shards().enqueueFollowUps(shard, payloads, remembered);
	}

	@Override
	public CompletableFuture<List<Shard>> followUpTargets(Lease lease, Collection<Shard> forgotten) {
		return this.store.shards().followUpTargets(lease, forgotten);
	}

	@Override
	public CompletableFuture<Boolean> forgetOrigin(Shard shard, Origin last, boolean orEarlier) {
		return this.store.shards().forgetOrigin(shard, last, orEarlier);
	}

	@Override
	public CompletableFuture<NextFollowUps> moveFollowUps(Lease lease, Collection<EnqueuedFollowUps> enqueued,
			long after) {
		return this.store.shards().moveFollowUps(lease, enqueued, after);
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
		List<JobView> before = all();
		Boolean released = changed(this.store.shards().release(lease, sequence, outcomes).join());
		assertNothingLost(before, outcomes);
		assertThat(in(JobView.State.BUSY)).isEmpty();
		return CompletableFuture.completedFuture(released);
	}

	/**
	 * Checks that at most the busy payloads of the jobs that are done, if only partly,
	 * are gone.
	 */
	private void assertNothingLost(List<JobView> before, List<Outcome> outcomes) {
		Set<String> done = outcomes.stream()
			.filter((outcome) -> outcome instanceof Outcome.Done
					|| (outcome instanceof Outcome.PartlyDone part && !part.gone().isEmpty()))
			.map(Outcome::id)
			.collect(Collectors.toSet());
		Predicate<JobView> isDone = (job) -> job.state() == JobView.State.BUSY && done.contains(job.id());
		Set<Held> after = held(all());
		if (!this.drops) {
			assertAmong(after, held(before.stream().filter(isDone.negate()).toList()));
		}
		assertAmong(held(before), after);
	}

	private static boolean ascend(List<Payload> payloads) {
		for (int i = 1; i < payloads.size(); i++) {
			if (payloads.get(i - 1).score() > payloads.get(i).score()) {
				return false;
			}
		}
		return true;
	}

	private <T> T changed(T answer) {
		this.known = null;
		return answer;
	}

	private List<JobView> all() {
		if (this.known == null) {
			this.known = Stream.of(JobList.QUEUED, JobList.BUSY, JobList.DEAD)
				.flatMap((list) -> list(list).stream())
				.toList();
		}
		return this.known;
	}

	private List<JobView> in(JobView.State state) {
		return all().stream().filter((job) -> job.state() == state).toList();
	}

	private List<JobView> list(JobList list) {
		return ListedJobs.of(this.store, new JobQuery(list, false, null, null, 1_000, 1_000));
	}

	private static Set<Held> held(List<JobView> jobs) {
		Set<Held> held = new HashSet<>();
		for (JobView job : jobs) {
			job.payloads().forEach((payload) -> held.add(new Held(job.id(), StoreContract.text(payload))));
		}
		return held;
	}

	@Override
	public void close() {
		this.store.close();
	}

}
