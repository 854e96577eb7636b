package io.lowkiq.engine;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
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
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingShardStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A replica that is cut off when follow-ups wait, and promoted while they are moved. No
 * lease changes.
 */
class FollowUpFailoverTests {

	/** More than one batch. */
	private static final int FOLLOW_UPS = 250;

	private static final List<String> IDS = List.of("m", "n", "o");

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final Shard source = this.store.queues().register("src", 1).shard(0);

	private final QueueLayout targets = this.store.queues().register("dst", 2);

	/** Null when it is the master. */
	private Faults.@Nullable Snapshot replica;

	private @Nullable Moment moment;

	private final FollowUpMover mover = new FollowUpMover(new ForwardingShardStore(this.store.shards()) {

		@Override
		public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
				Remembered remembered) {
			return super.enqueueFollowUps(shard, payloads, remembered)
				.whenComplete((result, ex) -> promoteAt(Moment.ENQUEUED));
		}

		@Override
		public CompletableFuture<NextFollowUps> moveFollowUps(Lease lease, Collection<EnqueuedFollowUps> enqueued,
				long after) {
			return super.moveFollowUps(lease, enqueued, after)
				.whenComplete((result, ex) -> promoteAt(enqueued.isEmpty() ? null : Moment.READ_AGAIN));
		}

	}, this.store.queues(), LowkiqObserver.NONE);

	/** When the replica takes over. */
	enum Moment {

		/** After the first follow-ups are enqueued, before they are removed. */
		ENQUEUED,

		/** After they are removed and the next ones are read. */
		READ_AGAIN,

		/** After all were moved. */
		MOVED

	}

	private void promoteAt(@Nullable Moment reached) {
		Faults.Snapshot cutOff = this.replica;
		if (cutOff != null && this.moment == reached) {
			this.replica = null;
			this.redis.faults().promote(cutOff);
		}
	}

	/** Lets follow-ups wait, and cuts the replica off. */
	private Lease followUps(Moment when) {
		this.store.shards().enqueue(this.source, List.of(NewPayload.of("a", new byte[] { 1 })));
		Lease lease = acquire(LeaseRequest.forFreeShard("s"));
		this.store.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 10, false)).join();
		List<Outcome> outcomes = new ArrayList<>();
		for (int i = 0; i < FOLLOW_UPS; i++) {
			byte[] payload = all().get(i).getBytes(StandardCharsets.UTF_8);
			outcomes.add(new Outcome.FollowUp("a", i + 1,
					new FollowUp("dst", NewPayload.of(IDS.get(i % IDS.size()), payload))));
		}
		outcomes.add(new Outcome.Done("a"));
		this.store.shards().completeAndFetch(lease, 2, 1, outcomes, Fetch.NONE).join();
		this.replica = this.redis.faults().snapshot();
		this.moment = when;
		return lease;
	}

	private Lease acquire(LeaseRequest request) {
		return ((Acquisition.Acquired) this.store.shards().acquire(this.source, request).join()).lease();
	}

	private ShardFollowUps moving(Lease lease) {
		ShardFollowUps moving = new ShardFollowUps(this.mover, lease, () -> {
		});
		moving.wake();
		return moving;
	}

	private void move(ShardFollowUps moving) {
		moving.wake();
		while (!moving.isIdle()) {
			moving.advance(true);
		}
	}

	private void assertAllAreMovedInTheirOrder() {
		List<String> found = new ArrayList<>();
		for (String id : IDS) {
			List<String> queued = this.store.inspection()
				.find(this.targets.shardOf(id), JobView.State.QUEUED, id, 1_000)
				.orElseThrow()
				.payloads()
				.stream()
				.map((payload) -> new String(payload.bytes(), StandardCharsets.UTF_8))
				.toList();
			assertThat(queued).isSorted();
			found.addAll(queued);
		}
		assertThat(this.replica).as("It is the master").isNull();
		assertThat(found).containsExactlyInAnyOrderElementsOf(all());
		assertThat(this.store.inspection().counts(this.source).followUps()).isZero();
	}

	private static List<String> all() {
		return IntStream.range(1_000, 1_000 + FOLLOW_UPS).mapToObj(Integer::toString).toList();
	}

	@ParameterizedTest
	@EnumSource
	void whatAFailoverForgotIsEnqueuedAgainInItsOrder(Moment when) {
		ShardFollowUps moving = moving(followUps(when));
		move(moving);
		promoteAt(Moment.MOVED);
		move(moving);
		assertAllAreMovedInTheirOrder();
	}

	/** The next owner reads what the last one has left, on the server that forgot it. */
	@Test
	void theNextOwnerLeavesNoneOut() {
		ShardFollowUps left = moving(followUps(Moment.READ_AGAIN));
		while (this.replica != null) {
			left.advance(true);
		}
		ShardFollowUps next = moving(acquire(LeaseRequest.afterCrash("t", "s")));
		move(next);
		left.advance(true);
		assertAllAreMovedInTheirOrder();
	}

}
