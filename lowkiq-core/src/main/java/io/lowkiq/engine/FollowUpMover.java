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
	 * Enqueues all follow-ups of a shard.
	 * @param lease the lease of their shard; if it is not current, nothing is done
	 * @return why the first of those that stayed was refused; null if none stayed
	 * @throws io.lowkiq.store.StoreException as in {@link Pass#moveNext()}
	 */
	public @Nullable RuntimeException moveAll(Lease lease) {
		Pass pass = begin(lease);
		while (pass.moveNext()) {
			// There are more
		}
		return pass.problem();
	}

	/**
	 * Begins a pass through all follow-ups of a shard.
	 * @param lease the lease of their shard
	 * @return the pass
	 */
	Pass begin(Lease lease) {
		return new Pass(lease);
	}

	private void enqueue(Shard shard, List<NewPayload> payloads) {
		long begin = System.nanoTime();
		int merged = this.store.enqueue(shard, payloads).merged();
		this.observer.enqueued(shard.queue(), payloads.size(), merged, Duration.ofNanos(System.nanoTime() - begin));
	}

	/**
	 * One pass through all follow-ups of a shard, in batches. A refused follow-up stays,
	 * as do later ones for the same shard, which would make it look like a repetition;
	 * others are not held up. Used by one thread.
	 */
	final class Pass {

		private final Lease lease;

		/** Queues and shards that have refused something. */
		private final Set<Object> closed = new HashSet<>();

		/** The last batch: numbers that have been enqueued, and its largest number. */
		private List<Long> enqueued = List.of();

		private long after;

		private @Nullable RuntimeException problem;

		private Pass(Lease lease) {
			this.lease = lease;
		}

		/** The lease under which the pass began. */
		Lease lease() {
			return this.lease;
		}

		/** Why the first of those that stayed was refused; null if none stayed. */
		@Nullable RuntimeException problem() {
			return this.problem;
		}

		/**
		 * Enqueues the next batch, of at most {@link ShardStore#MAX_FOLLOW_UPS}.
		 * @return whether there may be more; false if the lease is not current
		 * @throws io.lowkiq.store.StoreException if the store is out of reach, or the
		 * next follow-up can't be read: those that have not been enqueued stay
		 */
		boolean moveNext() {
			List<StoredFollowUp> next = FollowUpMover.this.store.moveFollowUps(this.lease, this.enqueued, this.after);
			if (next.isEmpty()) {
				return false;
			}
			this.after = next.get(next.size() - 1).number();
			this.enqueued = enqueue(next);
			return true;
		}

		/**
		 * Enqueues follow-ups.
		 * @return the numbers of those that are in their queues
		 */
		private List<Long> enqueue(List<StoredFollowUp> followUps) {
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
