package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.lowkiq.internal.LogText;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Origin;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreTimeoutException;
import io.lowkiq.store.StoreUnreachableException;
import io.lowkiq.store.StoredFollowUp;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues the follow-ups that wait in the shards of this node. They are removed from
 * there only after they are in their queues, so a crash in between loses none; the
 * {@linkplain Origin} of each lets its shard enqueue it once. Those for one shard keep
 * their order. Thread-safe.
 */
public final class FollowUpMover {

	private final ShardStore store;

	private final QueueRegistry queues;

	private final LowkiqObserver observer;

	/**
	 * A mover.
	 * @param store where the jobs are
	 * @param queues the recorded queues
	 * @param observer notified of every enqueue; doesn't throw
	 */
	public FollowUpMover(ShardStore store, QueueRegistry queues, LowkiqObserver observer) {
		this.store = store;
		this.queues = queues;
		this.observer = observer;
	}

	/**
	 * Enqueues all follow-ups of a shard. A refused one stays, as do later ones for the
	 * same shard; others are not held up.
	 * @param lease the lease of their shard; if it is not current, nothing is done
	 * @return why the first of those that stayed was refused; null if none stayed
	 * @throws io.lowkiq.store.StoreException if the store is out of reach: those that
	 * have not been enqueued stay
	 */
	public @Nullable RuntimeException moveAll(Lease lease) {
		Pass pass = new Pass();
		List<Long> enqueued = List.of();
		long after = 0;
		List<StoredFollowUp> next = this.store.moveFollowUps(lease, enqueued, after);
		while (!next.isEmpty()) {
			after = next.get(next.size() - 1).number();
			enqueued = pass.enqueue(next);
			next = this.store.moveFollowUps(lease, enqueued, after);
		}
		return pass.problem;
	}

	private void enqueue(Shard shard, List<NewPayload> payloads) {
		long begin = System.nanoTime();
		int merged = this.store.enqueue(shard, payloads).merged();
		this.observer.enqueued(shard.queue(), payloads.size(), merged, Duration.ofNanos(System.nanoTime() - begin));
	}

	/** One look at all follow-ups of a shard. Used by one thread. */
	private final class Pass {

		/** Queues and shards that have refused something. */
		private final Set<Object> closed = new HashSet<>();

		private @Nullable RuntimeException problem;

		/**
		 * Enqueues follow-ups.
		 * @return the numbers of those that are in their queues
		 */
		List<Long> enqueue(List<StoredFollowUp> followUps) {
			List<Long> enqueued = new ArrayList<>(followUps.size());
			byShard(followUps).forEach((shard, some) -> {
				List<NewPayload> payloads = some.stream()
					.map((each) -> each.followUp().payload().from(each.origin()))
					.toList();
				if (attempt(shard, () -> FollowUpMover.this.enqueue(shard, payloads))) {
					some.forEach((each) -> enqueued.add(each.number()));
				}
			});
			return enqueued;
		}

		private Map<Shard, List<StoredFollowUp>> byShard(List<StoredFollowUp> followUps) {
			Map<String, Optional<QueueLayout>> layouts = new LinkedHashMap<>();
			Map<Shard, List<StoredFollowUp>> byShard = new LinkedHashMap<>();
			for (StoredFollowUp each : followUps) {
				layouts.computeIfAbsent(each.followUp().queue(), this::layout).ifPresent((layout) -> {
					Shard shard = layout.shardOf(each.followUp().payload().id());
					if (!this.closed.contains(shard)) {
						byShard.computeIfAbsent(shard, (first) -> new ArrayList<>()).add(each);
					}
				});
			}
			return byShard;
		}

		private Optional<QueueLayout> layout(String queue) {
			List<QueueLayout> found = new ArrayList<>();
			if (!this.closed.contains(queue)) {
				attempt(queue, () -> found.add(FollowUpMover.this.queues.find(queue)
					.orElseThrow(() -> new UnknownQueueException(
							"No queue '%s' is recorded in the store. Start an application that serves or declares it"
								.formatted(LogText.of(queue))))));
			}
			return found.stream().findFirst();
		}

		private boolean attempt(Object where, Runnable step) {
			try {
				step.run();
				return true;
			}
			catch (StoreTimeoutException | StoreUnreachableException ex) {
				throw ex;
			}
			catch (RuntimeException ex) {
				this.closed.add(where);
				this.problem = (this.problem != null) ? this.problem : ex;
				return false;
			}
		}

	}

}
