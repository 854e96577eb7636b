package io.lowkiq.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster whose first master fails over to a replica that has not received the last
 * lease, and has another clock.
 */
class ForgottenLeaseTests {

	private final InMemoryRedis first = new InMemoryRedis(InstantSource.system());

	private final RedisStore source = this.first.store();

	private final RedisStore target = InMemoryRedis.newStore(InstantSource.system());

	/** Executes the calls that hang. */
	private final List<Runnable> held = new ArrayList<>();

	private boolean hanging;

	private long number = 1;

	private final FollowUpMover mover = new FollowUpMover(new ObservedShardStore(this.source.shards()) {

		@Override
		public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
				Remembered remembered) {
			if (ForgottenLeaseTests.this.hanging) {
				CompletableFuture<EnqueueResult> answer = new CompletableFuture<>();
				ForgottenLeaseTests.this.held.add(() -> ForgottenLeaseTests.this.target.shards()
					.enqueueFollowUps(shard, payloads, remembered)
					.thenAccept(answer::complete)
					.join());
				return answer;
			}
			return ForgottenLeaseTests.this.target.shards().enqueueFollowUps(shard, payloads, remembered);
		}

		@Override
		public CompletableFuture<Boolean> forgetOrigin(Shard shard, Origin last, boolean orEarlier) {
			return ForgottenLeaseTests.this.target.shards().forgetOrigin(shard, last, orEarlier);
		}

	}, this.target.queues(), LowkiqObserver.NONE);

	private Shard orders;

	private Shard mails;

	@BeforeEach
	void register() {
		this.first.faults().spread();
		this.orders = this.source.queues().register("orders", 1).shard(0);
		this.mails = this.target.queues().register("mails", 1).shard(0);
		this.source.shards().enqueue(this.orders, List.of(NewPayload.of("a", new byte[] { 1 })));
	}

	private Lease acquire(String session) {
		return ((Acquisition.Acquired) this.source.shards()
			.acquire(this.orders, LeaseRequest.forFreeShard(session))
			.join()).lease();
	}

	/** Performs the job, which lets others follow it. */
	private void perform(Lease lease, String... payloads) {
		this.source.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 10, false)).join();
		List<Outcome> outcomes = new ArrayList<>();
		for (String payload : payloads) {
			outcomes.add(new Outcome.FollowUp("a", this.number++,
					new FollowUp("mails", NewPayload.of("m", payload.getBytes(StandardCharsets.UTF_8)))));
		}
		outcomes.add(new Outcome.Done("a"));
		this.source.shards().completeAndFetch(lease, 2, 1, outcomes, Fetch.NONE).join();
	}

	private List<String> queued() {
		return this.target.inspection()
			.find(this.mails, JobView.State.QUEUED, "m", 100)
			.map((job) -> job.payloads()
				.stream()
				.map((payload) -> new String(payload.bytes(), StandardCharsets.UTF_8))
				.toList())
			.orElse(List.of());
	}

	private int waiting(Lease lease) {
		return this.source.shards().moveFollowUps(lease, List.of(), 0).join().followUps().size();
	}

	/** The next lease after a failover that forgot one whose follow-ups had come. */
	private Lease acquireWithSmallerEpoch() {
		Faults.Snapshot replica = this.first.faults().snapshot();
		Lease forgotten = acquire("s");
		perform(forgotten, "1", "2", "3", "4", "5");
		assertThat(ShardFollowUps.moveAll(this.mover, forgotten)).isNull();
		assertThat(queued()).containsExactly("1", "2", "3", "4", "5");
		this.first.faults().promote(replica);
		this.first.faults().shiftClock(Duration.ofHours(-1));
		Lease next = acquire("t");
		assertThat(next.epoch()).isLessThan(forgotten.epoch());
		return next;
	}

	@Test
	void followUpsOfTheNextLeaseComeAlthoughItsEpochIsSmaller() {
		Lease next = acquireWithSmallerEpoch();
		perform(next, "a", "b", "c", "d", "e");
		assertThat(ShardFollowUps.moveAll(this.mover, next)).isNull();
		assertThat(queued()).containsExactly("1", "2", "3", "4", "5", "a", "b", "c", "d", "e");
		assertThat(waiting(next)).isZero();
		assertThat(ShardFollowUps.moveAll(this.mover, next)).isNull();
		assertThat(queued()).hasSize(10);
	}

	@Test
	void followUpsComeAlthoughTheOneBeforeThemWasDroppedMeanwhile() {
		Lease next = acquireWithSmallerEpoch();
		perform(next, "a", "b", "c");
		this.hanging = true;
		ShardFollowUps moving = new ShardFollowUps(this.mover, next, () -> {
		});
		moving.wake();
		IntStream.range(0, 3).forEach((step) -> moving.advance(true));
		assertThat(this.held).hasSize(1);
		this.source.actions().dropFollowUps(this.orders, List.of(new Origin(this.orders, next.epoch(), 6)));
		this.hanging = false;
		this.held.forEach(Runnable::run);
		IntStream.range(0, 9).forEach((step) -> moving.advance(true));
		assertThat(moving.isOver()).isTrue();
		assertThat(queued()).containsExactly("1", "2", "3", "4", "5", "b", "c");
		assertThat(waiting(next)).isZero();
	}

	@Test
	void aNodeThatHasLostItsLeaseMakesNoTargetForget() {
		Lease lost = acquire("s");
		perform(lost, "1", "2");
		this.hanging = true;
		ShardFollowUps late = new ShardFollowUps(this.mover, lost, () -> {
		});
		late.wake();
		IntStream.range(0, 3).forEach((step) -> late.advance(true));
		assertThat(this.held).hasSize(1);
		this.hanging = false;
		this.source.shards().enqueue(this.orders, List.of(NewPayload.of("a", new byte[] { 1 })));
		Lease next = ((Acquisition.Acquired) this.source.shards()
			.acquire(this.orders, LeaseRequest.afterCrash("t", "s"))
			.join()).lease();
		perform(next, "3");
		assertThat(ShardFollowUps.moveAll(this.mover, next)).isNull();
		assertThat(queued()).containsExactly("1", "2", "3");
		this.target.actions().delete(this.mails, List.of("m"));
		this.held.forEach(Runnable::run);
		late.advance(true);
		assertThat(queued()).isEmpty();
		assertThat(this.target.shards()
			.enqueueFollowUps(this.mails,
					List.of(NewPayload.of("m", new byte[] { '3' }).from(new Origin(this.orders, next.epoch(), 3))),
					Remembered.NOTHING)
			.join()
			.remembered()).as("It is remembered").isEqualTo(new Remembered(next.epoch(), 3));
	}

}
