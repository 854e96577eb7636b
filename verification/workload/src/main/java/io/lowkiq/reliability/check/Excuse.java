package io.lowkiq.reliability.check;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.store.job.Shard;

/**
 * Whether the outcome of a run may have got lost: only if a fault touched the very call
 * that sent it; or the call for whose lost answer everything busy in the shard was put
 * back; or a heartbeat without which the lease ended. On a machine that has other work,
 * an answer that is missing, and a lease that ended, are faults, too: a connection that
 * looked dead takes all its calls with it, also those that had waited for a moment only.
 */
final class Excuse {

	private static final Set<FaultKind> DEATHS = Set.of(FaultKind.KILL, FaultKind.POISON);

	private static final Set<FaultKind> LATE_REQUESTS = Set.of(FaultKind.LATENCY, FaultKind.REPEATED);

	private final Ledger ledger;

	private final Settings settings;

	private final List<Fault> failovers;

	/** By shard: the few calls that a failover may have forgotten. */
	private final Map<Shard, List<Ledger.Call>> forgotten = new HashMap<>();

	Excuse(Ledger ledger, Settings settings) {
		this.ledger = ledger;
		this.settings = settings;
		this.failovers = ledger.faults.stream().filter((fault) -> fault.kind().forgets()).toList();
		ledger.calls.forEach((shard, calls) -> this.forgotten.put(shard,
				calls.stream().filter((call) -> call.applied() && forgotten(call)).toList()));
	}

	/** Whether the outcome of a run may have been lost. */
	boolean covers(Perform perform) {
		Ledger.Call call = perform.completion;
		if (call != null && call.applied()) {
			return forgotten(call) || releasedInVain(perform, call);
		}
		if (call != null && call.answer() == Answer.NONE && touched(call)) {
			return true;
		}
		return died(perform) || superseded(perform);
	}

	/**
	 * A lease can be given back though Redis forgot a call of it. If that one fetched the
	 * job, its outcome is that of no job.
	 */
	private boolean releasedInVain(Perform perform, Ledger.Call call) {
		return call.called().release() && outOfStep(perform, call.called().time());
	}

	/** Redis had applied it, and lost it with the last writes before a failover. */
	boolean forgotten(Ledger.Call call) {
		return this.failovers.stream()
			.anyMatch((fault) -> call.called().time() <= fault.begun() && fault.forgets(call.ended()));
	}

	/**
	 * Whether a payload may have left its job before its first run by a call that a
	 * failover forgot: because it could not be read, or because only the latest is kept
	 * and the call fetched a newer one.
	 */
	boolean cameBack(Enqueued enqueued, Perform first, List<Perform> performs) {
		boolean replaced = this.settings.gathering(enqueued.queue).keepLatest();
		return this.forgotten.getOrDefault(first.shard, List.of())
			.stream()
			.filter((call) -> call.called().time() > enqueued.called() && call.called().time() < first.fetched)
			.anyMatch((call) -> call.called().completed().contains(first.id)
					|| (replaced && performs.stream().anyMatch((perform) -> isFetchedBy(perform, call))));
	}

	private static boolean isFetchedBy(Perform perform, Ledger.Call call) {
		return perform.process.equals(call.process()) && perform.fetched == call.called().time();
	}

	private boolean touched(Ledger.Call call) {
		return (call.answer() == Answer.NONE && !this.settings.idle())
				|| this.ledger.faulty(FaultKind::losesOutcomes, call.process(), call.called().time(), call.ended());
	}

	private boolean died(Perform perform) {
		long gone = this.ledger.gone(perform.process);
		return gone != Long.MAX_VALUE && this.ledger.faulty(DEATHS::contains, perform.process, perform.start, gone);
	}

	/**
	 * Somebody got the shard before the outcome could be sent. The time says who was
	 * next: after a failover, a later epoch may be smaller.
	 */
	private boolean superseded(Perform perform) {
		Optional<Ledger.Lease> next = this.ledger.leases.getOrDefault(perform.shard, List.of())
			.stream()
			.filter((lease) -> lease.given().epoch() != perform.epoch && lease.given().time() >= perform.fetched)
			.min(Comparator.comparingLong((lease) -> lease.given().time()));
		if (next.isEmpty()) {
			return false;
		}
		long at = next.get().given().time();
		return lapsed(perform, at) || doubted(perform, at) || isLeaseForgotten(perform, at)
				|| (next.get().process().equals(perform.process)
						&& (rejoined(perform, next.get()) || outOfStep(perform, at)));
	}

	/**
	 * Whether a failover forgot a call of the lease: the next call is out of step,
	 * however much later it is made.
	 */
	private boolean outOfStep(Perform perform, long at) {
		return this.forgotten.getOrDefault(perform.shard, List.of())
			.stream()
			.anyMatch((each) -> each.process().equals(perform.process) && each.called().epoch() == perform.epoch
					&& each.called().time() <= at);
	}

	/** Whether a failover forgot the lease, so that anybody could get the shard. */
	private boolean isLeaseForgotten(Perform perform, long at) {
		return this.ledger.leases.getOrDefault(perform.shard, List.of())
			.stream()
			.filter((lease) -> lease.given().epoch() == perform.epoch)
			.anyMatch((lease) -> this.failovers.stream()
				.anyMatch((fault) -> fault.forgets(lease.given().time()) && lease.given().time() <= fault.over()
						&& fault.begun() <= at));
	}

	/**
	 * Whether the owner acquired the shard under another session. On a busy machine, it
	 * may have seen the answer that held the earlier one too late.
	 */
	private boolean rejoined(Perform perform, Ledger.Lease next) {
		return !this.settings.idle()
				&& !next.given().session().equals(this.ledger.session(perform.shard, perform.epoch));
	}

	/** Whether the session ended because no heartbeat came through. */
	private boolean lapsed(Perform perform, long at) {
		String session = this.ledger.session(perform.shard, perform.epoch);
		long until = this.ledger.heldUntil(session, at);
		long lease = this.settings.lease().toNanos();
		return until <= at && (!this.settings.idle()
				|| this.ledger.faulty(FaultKind::losesOutcomes, perform.process, Math.max(0, until - lease), at));
	}

	/**
	 * A call about the shard had no certain answer, so its owner acquired it again. Or it
	 * was refused, because an earlier request of the owner arrived late, or twice, and
	 * was given a new lease: at any time since the lease was last seen to be held.
	 */
	private boolean doubted(Perform perform, long at) {
		List<Ledger.Call> calls = this.ledger.calls.getOrDefault(perform.shard, List.of())
			.stream()
			.filter((call) -> call.process().equals(perform.process) && call.called().epoch() == perform.epoch
					&& call.called().time() <= at)
			.toList();
		return calls.stream()
			.filter((call) -> !call.applied())
			.anyMatch((call) -> touched(call) || (call.answer() == Answer.REFUSED
					&& this.ledger.faulty(LATE_REQUESTS::contains, call.process(), held(calls, call), call.ended())));
	}

	/** When the lease was last seen to be held before a call was refused. */
	private static long held(List<Ledger.Call> calls, Ledger.Call refused) {
		return calls.stream()
			.filter(Ledger.Call::applied)
			.mapToLong(Ledger.Call::ended)
			.filter((ended) -> ended <= refused.called().time())
			.max()
			.orElse(refused.called().time());
	}

}
