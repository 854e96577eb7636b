package io.lowkiq.engine.lease;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.WaitingGroups;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HeldShardTests {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	private final ServedQueue queue = new ServedQueue(new RegisteredWorker("orders", Worker.class, Integer.class,
			new RegisteredWorker.Settings(1, 1, 5, 1_000, 1, 0), () -> (Worker<Integer>) (id, payloads) -> {
			}), 100);

	private final Session session = new Session("a-1", Long.MAX_VALUE, () -> 0);

	private final HeldShard held = held(served(this.queue), 7, nothingDue());

	private static ServedShard served(ServedQueue queue) {
		return new ServedShard(SHARD, queue, new QueueTurns(queue.groups(), 1, 1, () -> 0, (nanos) -> Map.of()),
				InstantSource.system().instant());
	}

	private HeldShard held(ServedShard shard, long epoch, NextDue next) {
		return new HeldShard(shard, this.session, new Lease(SHARD, "a-1", epoch), next, 0, WaitingGroups.NONE);
	}

	/** Follow-ups keep the order of the jobs that they follow. */
	@Test
	void resumingSendsTheJobsOfTheUncertainCallBeforeThoseThatWereCompletedSince() {
		Task first = begun("a");
		Task second = begun("b");
		this.held.tasks().end(first, List.of(done("a")), 1);
		assertThat(ids(this.held.beginCall(2))).containsExactly("a 1", "a");
		this.held.tasks().end(second, List.of(done("b")), 3);
		this.held.unanswered();
		this.held.resume(new Lease(SHARD, "a-1", 8), nothingDue(), WaitingGroups.NONE);
		assertThat(ids(this.held.beginCall(4))).containsExactly("a 2", "a", "b 3", "b");
	}

	/**
	 * What goes back has used nothing, and a lease that is taken again keeps the rest.
	 */
	@Test
	void startsAreUsedWhenTheyBeginAndKeptWithTheLease() {
		ServedQueue limited = new ServedQueue(new RegisteredWorker("orders", Worker.class, Integer.class,
				new RegisteredWorker.Settings(1, 1, 5, 1_000, 1, 0)
					.with(new Limits(0, new RateLimit(1, Duration.ofSeconds(1), 3))),
				() -> (Worker<Integer>) (id, payloads) -> {
				}), 100);
		ServedShard shard = served(limited);
		HeldShard first = held(shard, 7, nothingDue());
		long later = Duration.ofSeconds(3).toNanos();
		assertThat(first.tasks().room(0)).isZero();
		assertThat(first.tasks().room(later)).isEqualTo(3);
		first.tasks().addFetched(task("a"), later);
		first.tasks().addFetched(task("b"), later);
		assertThat(first.tasks().room(later)).isEqualTo(1);
		first.tasks().begin(first.tasks().nextTask(), later);
		assertThat(first.tasks().room(later)).isEqualTo(1);
		first.returnNotBegunFor(0, later);
		assertThat(first.tasks().room(later)).isEqualTo(2);
		HeldShard again = held(shard, 8, NextDue.of(FetchResult.NOTHING, FetchResult.NOTHING, 0, later));
		assertThat(again.tasks().room(later)).isZero();
		again.continues(first);
		assertThat(again.tasks().room(later)).isEqualTo(2);
	}

	private Task begun(String id) {
		Task task = task(id);
		this.held.tasks().addFetched(task, 0);
		this.held.tasks().begin(task, 0);
		return task;
	}

	private Task task(String id) {
		Lease lease = this.held.lease();
		FetchedJob job = new FetchedJob(id, 0, -1, 0, null, List.of(new Payload(new byte[] { '1' }, 1)));
		return new Task(this.queue, lease, () -> true, List.of(job), (other) -> false, 0);
	}

	private static Completed done(String id) {
		return new Completed(id, List.of(new Outcome.Done(id)),
				List.of(new FollowUp("mails", NewPayload.of("m", id.getBytes(StandardCharsets.UTF_8)))));
	}

	/** With the numbers of follow-ups. */
	private static List<String> ids(List<Outcome> outcomes) {
		return outcomes.stream()
			.map((outcome) -> (outcome instanceof Outcome.FollowUp followUp) ? followUp.id() + " " + followUp.number()
					: outcome.id())
			.toList();
	}

	private static NextDue nothingDue() {
		return NextDue.of(FetchResult.NOTHING, FetchResult.NOTHING, 0, 0);
	}

}
