package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.KnownLayouts;
import io.lowkiq.store.Lease;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls that move follow-ups from the shards of this node to their queues. They are
 * removed from there only after they are in their queues, so a crash in between loses
 * none; the {@linkplain Origin} of each lets its shard enqueue it once. Thread-safe.
 */
public final class FollowUpMover {

	private static final Logger logger = LoggerFactory.getLogger(FollowUpMover.class);

	private final ShardStore store;

	private final QueueRegistry queues;

	private final LowkiqObserver observer;

	private final EngineRuntime runtime;

	private final Executor lookUps;

	private final KnownLayouts layouts;

	/** A mover that looks up queues on the thread that moves. */
	public FollowUpMover(ShardStore store, QueueRegistry queues, LowkiqObserver observer) {
		this(store, queues, observer, new SystemRuntime(System::nanoTime), Runnable::run);
	}

	FollowUpMover(ShardStore store, QueueRegistry queues, LowkiqObserver observer, EngineRuntime runtime,
			Executor lookUps) {
		this.store = store;
		this.queues = queues;
		this.observer = observer;
		this.runtime = runtime;
		this.lookUps = lookUps;
		this.layouts = new KnownLayouts(runtime::nanoTime);
	}

	long nanoTime() {
		return this.runtime.nanoTime();
	}

	RandomGenerator random() {
		return this.runtime.random();
	}

	CompletableFuture<NextFollowUps> next(Lease lease, List<EnqueuedFollowUps> enqueued, long after) {
		return this.store.moveFollowUps(lease, enqueued, after);
	}

	CompletableFuture<EnqueueResult> enqueue(Lease lease, Shard shard, List<StoredFollowUp> followUps,
			Remembered remembered) {
		List<NewPayload> payloads = followUps.stream()
			.map((each) -> each.followUp().payload().from(each.origin()))
			.toList();
		long begin = nanoTime();
		return this.store.enqueueFollowUps(shard, payloads, remembered).thenCompose((result) -> {
			Remembered other = result.remembered();
			if (other == null) {
				this.observer.enqueued(shard.queue(), payloads.size(), result.merged(),
						Duration.ofNanos(nanoTime() - begin));
			}
			else if (other.epoch() > lease.epoch()) {
				return forgetLater(other, lease, shard, followUps.get(0)).thenApply((forgotten) -> result);
			}
			return CompletableFuture.completedFuture(result);
		});
	}

	/** Lets a target forget a follow-up of a later lease. */
	private CompletableFuture<Boolean> forgetLater(Remembered later, Lease lease, Shard shard, StoredFollowUp first) {
		return this.store.moveFollowUps(lease, List.of(), first.number() - 1).thenCompose((waiting) -> {
			if (waiting.followUps().isEmpty() || !waiting.followUps().get(0).origin().equals(first.origin())) {
				// Another owner has enqueued them
				return CompletableFuture.completedFuture(false);
			}
			logger.warn(
					"The epoch of shard {} went back from {} to {}: a failover has forgotten its last lease. Follow-ups into shard {} may be enqueued again",
					lease.shard(), later.epoch(), lease.epoch(), shard);
			return this.store.forgetOrigin(shard, new Origin(lease.shard(), later.epoch(), later.number()), false);
		});
	}

	/** Lets some shards forget the follow-ups of a shard in which none waits any more. */
	CompletableFuture<List<Shard>> forgetSome(Lease lease, long last, List<Shard> before) {
		Origin origin = new Origin(lease.shard(), lease.epoch(), last);
		return this.store.followUpTargets(lease, before).thenCompose((targets) -> {
			CompletableFuture<?>[] calls = targets.stream()
				.map((target) -> this.store.forgetOrigin(target, origin, true))
				.toArray(CompletableFuture<?>[]::new);
			return CompletableFuture.allOf(calls).thenApply((all) -> targets);
		});
	}

	/** The layout of a queue; null if it has to be looked up. */
	@Nullable QueueLayout layout(String queue) {
		return this.layouts.find(queue);
	}

	CompletableFuture<Void> lookUp(String queue) {
		return CompletableFuture.runAsync(() -> this.layouts.lookUp(queue,
				() -> this.queues.find(queue)
					.orElseThrow(() -> new UnknownQueueException(
							"No queue '%s' is recorded in the store. Start an application that serves or declares it"
								.formatted(LogText.of(queue))))),
				this.lookUps);
	}

	/** Looks up a queue again, because it was removed and perhaps recorded again. */
	void forget(String queue) {
		this.layouts.forget(queue);
	}

}
