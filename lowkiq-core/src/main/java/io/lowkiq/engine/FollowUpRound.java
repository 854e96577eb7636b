package io.lowkiq.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import org.jspecify.annotations.Nullable;

/** One pass over a shard's follow-ups. Used by one thread, which never waits. */
final class FollowUpRound {

	private final FollowUpTargets targets;

	/** Targets that get nothing more in this round: they refuse or are slow. */
	private final Set<Object> closed;

	private @Nullable PendingCall<NextFollowUps> read;

	private long after;

	/** Whether nothing more waited after the last number. */
	private boolean end;

	private boolean failed;

	/**
	 * Whether something was left out that can go now, so that it has to be read again.
	 */
	private boolean again;

	private @Nullable Throwable refusal;

	/** The largest number that was refused, also before this round. */
	private long lastRefused;

	FollowUpRound(FollowUpTargets targets, long lastRefused) {
		this.targets = targets;
		this.closed = new HashSet<>(targets.calls().keySet());
		this.lastRefused = lastRefused;
	}

	void wake() {
		this.end = false;
	}

	/** Reads the next batch, and removes what was enqueued. */
	void read(long nanos) {
		this.read = this.targets.read(this.after, nanos);
		// What is known to wait is read by this call; what comes from now on wakes
		this.end = true;
	}

	/** Takes the answers that have come, and sends what was read. */
	boolean collect(long nanos) {
		PendingCall<NextFollowUps> reading = this.read;
		boolean isBatch = false;
		if (reading != null && reading.isOver(nanos)) {
			this.read = null;
			try {
				NextFollowUps next = reading.result();
				this.targets.removed();
				isBatch = !next.isEmpty();
				taken(next, nanos);
			}
			catch (RuntimeException ex) {
				fail(ex);
			}
		}
		this.targets.takeEnded(nanos).forEach(this::ended);
		return isBatch;
	}

	/** How long the next batch waits for answers, in nanoseconds; at most 0 if not. */
	long waitLeft(long nanos) {
		return (this.read != null) ? this.read.timeLeft(nanos) : patienceLeft(nanos);
	}

	/** How long the store is given to answer before others get their turn. */
	long patienceLeft(long nanos) {
		return (this.read != null) ? this.read.patienceLeft(nanos)
				: this.targets.calls()
					.entrySet()
					.stream()
					.filter((call) -> !this.closed.contains(call.getKey()))
					.mapToLong((call) -> call.getValue().pending().patienceLeft(nanos))
					.max()
					.orElse(0);
	}

	void closeSlow() {
		this.closed.addAll(this.targets.calls().keySet());
	}

	long reached() {
		return this.after;
	}

	boolean isFailed() {
		return this.failed;
	}

	/** Whether all was read, and what was enqueued is removed. */
	boolean isRead() {
		return this.failed || (this.end && !this.targets.hasEnqueued());
	}

	boolean isAgain() {
		return this.again;
	}

	/** Whether all was read, and what was not refused, and is not slow, is enqueued. */
	boolean isOver() {
		boolean waits = this.read != null || !this.closed.containsAll(this.targets.calls().keySet());
		return !waits && isRead() && (this.failed || !this.again);
	}

	@Nullable Throwable refusal() {
		return this.refusal;
	}

	long lastRefused() {
		return this.lastRefused;
	}

	/** Whether something was read, and nothing is refused any more. */
	boolean isWell() {
		return this.refusal == null && this.read == null && this.targets.calls().isEmpty()
				&& (isRead() || (this.after > 0 && this.after >= this.lastRefused));
	}

	private void taken(NextFollowUps next, long nanos) {
		if (next.forgotten()) {
			throw new StoreException(
					"A failover has forgotten follow-ups of shard %s that were enqueued. They are enqueued again"
						.formatted(this.targets.source()),
					null);
		}
		if (!next.isEmpty()) {
			this.end = false;
			this.after = next.lastNumber();
			send(next, nanos);
		}
	}

	private void send(NextFollowUps next, long nanos) {
		Map<Shard, List<StoredFollowUp>> byShard = new LinkedHashMap<>();
		Deque<NextFollowUps.Unreadable> unreadable = new ArrayDeque<>(next.unreadable());
		for (StoredFollowUp each : next.followUps()) {
			holdUp(unreadable, each.number());
			if (this.failed) {
				break;
			}
			String queue = each.followUp().queue();
			Object target = this.targets.of(each.followUp());
			boolean isOpen = !this.closed.contains(queue) && !this.closed.contains(target);
			if (isOpen && target instanceof Shard shard) {
				byShard.computeIfAbsent(shard, (first) -> new ArrayList<>()).add(each);
				continue;
			}
			if (isOpen && !this.targets.calls().containsKey(queue)) {
				this.targets.lookUp(queue, nanos);
			}
			FollowUpTargets.Call slow = this.targets.calls().get(target);
			if (slow != null) {
				slow.behind().add(each.number());
			}
			else {
				refused(each.number());
			}
		}
		holdUp(unreadable, Long.MAX_VALUE);
		byShard.forEach((shard, some) -> this.targets.enqueue(shard, some, nanos));
	}

	/**
	 * Lets later follow-ups wait for unreadable ones before a number, since they would
	 * make those look like repetitions: those for its queue; if that can't be read
	 * either, all.
	 */
	private void holdUp(Deque<NextFollowUps.Unreadable> unreadable, long before) {
		while (!unreadable.isEmpty() && unreadable.element().number() < before) {
			NextFollowUps.Unreadable wrong = unreadable.remove();
			String queue = wrong.queue();
			StoreException reason = new StoreException(
					"Follow-up %s in shard %s can't be read. It was written by a newer version, or changed by hand; later ones of its shard%s wait for it"
						.formatted(wrong.number(), this.targets.source(), (queue != null) ? " for queue " + queue : ""),
					null);
			refused(wrong.number());
			if (queue != null) {
				refuse(queue, reason);
			}
			else {
				fail(reason);
			}
		}
	}

	private void ended(Object target, FollowUpTargets.Call call) {
		try {
			if (!this.targets.accept(target, call)) {
				this.closed.add(target);
			}
			// What was left out meanwhile has to be read again
			this.again |= this.closed.contains(target) || !call.behind().isEmpty();
		}
		catch (RuntimeException ex) {
			call.numbers().forEach(this::refused);
			call.behind().forEach(this::refused);
			refuse(target, ex);
		}
	}

	private void fail(RuntimeException reason) {
		this.failed = true;
		refuse(null, reason);
	}

	private void refuse(@Nullable Object target, RuntimeException reason) {
		if (target != null) {
			this.closed.add(target);
		}
		this.refusal = (this.refusal != null) ? this.refusal : reason;
	}

	private void refused(long number) {
		this.lastRefused = Math.max(this.lastRefused, number);
	}

}
