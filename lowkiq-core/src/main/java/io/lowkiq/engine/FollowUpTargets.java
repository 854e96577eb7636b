package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;

/**
 * The targets of a shard's follow-ups, in all rounds under one lease: the call in
 * progress to each, what each remembers, and what they have acknowledged. Used by one
 * thread.
 */
final class FollowUpTargets {

	private final FollowUpMover mover;

	private final Lease lease;

	private final Runnable answered;

	private final Map<Object, Call> calls = new LinkedHashMap<>();

	/** The memory of each target before the last read began. */
	private final Map<Shard, Remembered> remembered = new HashMap<>();

	/** Follow-ups that were acknowledged and are not removed yet. */
	private final List<EnqueuedFollowUps> enqueued = new ArrayList<>();

	/** How many of the acknowledged calls the last read removes. */
	private int removing;

	/**
	 * A call to a target.
	 *
	 * @param behind the numbers of those that wait until it has ended
	 */
	record Call(List<StoredFollowUp> followUps, Set<Long> behind, PendingCall<?> pending) {

		List<Long> numbers() {
			return this.followUps.stream().map(StoredFollowUp::number).toList();
		}

		int size() {
			return this.followUps.size() + this.behind.size();
		}

	}

	FollowUpTargets(FollowUpMover mover, Lease lease, Runnable answered) {
		this.mover = mover;
		this.lease = lease;
		this.answered = answered;
	}

	Shard source() {
		return this.lease.shard();
	}

	Map<Object, Call> calls() {
		return this.calls;
	}

	/** Whether something was acknowledged and is not removed yet. */
	boolean hasEnqueued() {
		return !this.enqueued.isEmpty();
	}

	/** Removes what was acknowledged, and reads what waits after a number. */
	PendingCall<NextFollowUps> read(long after, long nanos) {
		List<EnqueuedFollowUps> some = List.copyOf(this.enqueued);
		this.removing = some.size();
		return new PendingCall<>(() -> this.mover.next(this.lease, some, after), nanos, this.answered);
	}

	/** Notes that the last read has its answer. */
	void removed() {
		this.enqueued.subList(0, this.removing).clear();
	}

	/** Where a follow-up goes: its shard, or its queue if that has to be looked up. */
	Object of(FollowUp followUp) {
		QueueLayout layout = this.mover.layout(followUp.queue());
		// One that is found meanwhile is for the next round: earlier ones go first
		return (layout != null && !this.calls.containsKey(followUp.queue())) ? layout.shardOf(followUp.payload().id())
				: followUp.queue();
	}

	void lookUp(String queue, long nanos) {
		call(queue, List.of(), () -> this.mover.lookUp(queue), nanos);
	}

	void enqueue(Shard shard, List<StoredFollowUp> some, long nanos) {
		call(shard, some, () -> this.mover.enqueue(this.lease, shard, some, remembered(shard)), nanos);
	}

	private <T> void call(Object target, List<StoredFollowUp> some, Supplier<CompletableFuture<T>> call, long nanos) {
		this.calls.put(target, new Call(some, new HashSet<>(), new PendingCall<>(call, nanos, this.answered)));
	}

	Map<Object, Call> takeEnded(long nanos) {
		Map<Object, Call> ended = new LinkedHashMap<>(this.calls);
		ended.values().removeIf((call) -> !call.pending().isOver(nanos));
		this.calls.keySet().removeAll(ended.keySet());
		return ended;
	}

	/** Takes the answer of a call, or throws why it was refused. */
	boolean accept(Object target, Call call) {
		try {
			Object result = call.pending().result();
			if (!(target instanceof Shard shard && result instanceof EnqueueResult enqueue)) {
				return true;
			}
			Remembered other = enqueue.remembered();
			if (other == null) {
				this.enqueued.add(new EnqueuedFollowUps(shard, call.numbers()));
			}
			Remembered present = (other != null) ? other
					: remembered(shard).after(call.followUps().get(call.followUps().size() - 1).origin());
			// A later lease is none of this one's past: the mover looks into it each time
			if (present.epoch() <= this.lease.epoch()) {
				this.remembered.put(shard, present);
			}
			return other == null;
		}
		catch (QueueClosedException ex) {
			if (target instanceof Shard shard) {
				this.mover.forget(shard.queue());
			}
			throw ex;
		}
	}

	private Remembered remembered(Shard target) {
		return this.remembered.getOrDefault(target, Remembered.NOTHING);
	}

}
