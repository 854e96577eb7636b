package io.lowkiq.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Watches a storage while operations are made on it: no payload is lost or comes from
 * nowhere (I3, I5), hand-overs ascend (I2), no id is busy twice (I1), and what is refused
 * changes nothing (I6).
 */
final class StoreInvariants implements RandomRun.Steps, ShardStore {

	/**
	 * A payload of an id, wherever it lies.
	 *
	 * @param id the job's id
	 * @param text the payload
	 */
	private record Held(String id, String text) {
	}

	private final TestedStore store;

	private final TestedStore watched;

	private final long seed;

	private int count;

	StoreInvariants(long seed, TestedStore store) {
		this.seed = seed;
		this.store = store;
		this.watched = store.with(this);
	}

	@Override
	public <T> T step(String description, Function<TestedStore, T> operation) {
		this.count++;
		try {
			Set<Held> before = held(all());
			T answer = operation.apply(this.watched);
			if (description.startsWith("delete")) {
				assertThat(before).containsAll(held(all()));
			}
			else if (!description.startsWith("push") && !description.startsWith("turn")
					&& !description.startsWith("release")) {
				assertThat(held(all())).isEqualTo(before);
			}
			return answer;
		}
		catch (AssertionError ex) {
			throw new AssertionError("Seed %d, step %d: %s".formatted(this.seed, this.count, description), ex);
		}
	}

	@Override
	public void check() {
		ShardCounts counts = this.store.inspection().counts(StoreContract.SHARD);
		assertThat(counts.queued()).isEqualTo(list(JobView.State.QUEUED).size());
		assertThat(counts.busy()).isEqualTo(list(JobView.State.BUSY).size());
		assertThat(counts.dead()).isEqualTo(list(JobView.State.DEAD).size());
		assertThat(all()).allMatch((job) -> job.payloadCount() > 0).allMatch((job) -> ascend(job.payloads()));
	}

	@Override
	public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
		Set<Held> expected = held(all());
		pushes.forEach((push) -> expected.add(new Held(push.id(), StoreContract.text(new Payload(push.payload(), 0)))));
		EnqueueResult result = this.store.shardStore().push(shard, pushes);
		assertThat(held(all())).isEqualTo(expected);
		return result;
	}

	@Override
	public Acquisition acquire(Shard shard, Claim claim) {
		List<JobView> before = all();
		Acquisition acquisition = this.store.shardStore().acquire(shard, claim);
		if (acquisition instanceof Acquisition.Acquired acquired && !acquired.kept()) {
			assertThat(list(JobView.State.BUSY)).isEmpty();
		}
		else {
			assertThat(all()).isEqualTo(before);
		}
		return acquisition;
	}

	@Override
	public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
		List<JobView> before = all();
		FetchResult turn = this.store.shardStore().turn(lease, sequence, outcomes, fetch);
		if (!(turn instanceof FetchResult.Fetched applied)) {
			assertThat(all()).isEqualTo(before);
			if (turn instanceof FetchResult.HandedOver handedOver) {
				assertThat(outcomes).isEmpty();
				assertThat(list(JobView.State.BUSY)).extracting(JobView::id)
					.containsExactly(handedOver.handOver().job().id());
			}
			return turn;
		}
		assertNothingLost(before, outcomes);
		if (!applied.jobs().isEmpty()) {
			List<String> fetched = applied.jobs().stream().map(FetchedJob::id).toList();
			assertThat(fetched).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(fetch.jobs());
			assertThat(list(JobView.State.BUSY)).extracting(JobView::id).containsExactlyInAnyOrderElementsOf(fetched);
			assertThat(applied.jobs()).allMatch((job) -> ascend(job.payloads()))
				.allMatch((job) -> job.performAt() <= applied.now())
				.allMatch((job) -> job.payloads().size() <= fetch.payloads())
				.isSortedAccordingTo(Comparator.comparingLong(FetchedJob::performAt));
			assertThat(applied.jobs().stream().filter((job) -> job.crashes() > 0).count() * applied.jobs().size())
				.as("a suspect comes alone")
				.isLessThanOrEqualTo(1);
		}
		return turn;
	}

	@Override
	public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
		List<JobView> before = all();
		boolean released = this.store.shardStore().release(lease, sequence, outcomes);
		assertNothingLost(before, outcomes);
		assertThat(list(JobView.State.BUSY)).isEmpty();
		return released;
	}

	/**
	 * Checks that at most the busy payloads of the jobs that are done are gone.
	 * @param before the jobs before
	 * @param outcomes what was applied
	 */
	private void assertNothingLost(List<JobView> before, List<Outcome> outcomes) {
		Set<String> done = outcomes.stream()
			.filter(Outcome.Done.class::isInstance)
			.map(Outcome::id)
			.collect(Collectors.toSet());
		Predicate<JobView> isDone = (job) -> job.state() == JobView.State.BUSY && done.contains(job.id());
		Set<Held> after = held(all());
		assertThat(after).containsAll(held(before.stream().filter(isDone.negate()).toList()));
		assertThat(held(before)).containsAll(after);
	}

	private static boolean ascend(List<Payload> payloads) {
		for (int i = 1; i < payloads.size(); i++) {
			if (payloads.get(i - 1).score() > payloads.get(i).score()) {
				return false;
			}
		}
		return true;
	}

	private List<JobView> all() {
		List<JobView> jobs = new ArrayList<>();
		for (JobView.State state : JobView.State.values()) {
			jobs.addAll(list(state));
		}
		return jobs;
	}

	private List<JobView> list(JobView.State state) {
		JobQuery query = new JobQuery(state, JobQuery.Order.ID, false, null, null, null, 1_000, 1_000);
		return this.store.inspection().list(StoreContract.SHARD, query).jobs();
	}

	private static Set<Held> held(List<JobView> jobs) {
		Set<Held> held = new HashSet<>();
		for (JobView job : jobs) {
			job.payloads().forEach((payload) -> held.add(new Held(job.id(), StoreContract.text(payload))));
		}
		return held;
	}

}
