package io.lowkiq.reliability.check;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;

/**
 * I3: what was acknowledged is performed to success after that, or is in the morgue, and
 * nothing is left over; nothing appears that was not enqueued. What operators deleted may
 * be missing, and what was replaced by a newer payload where only the latest is kept, or
 * by one with a later time that an operator has put back after Redis' clock went back.
 * What was discarded counts as performed.
 */
final class LossCheck implements Check {

	private static final Set<Action> DELETE = Set.of(Action.DELETE);

	private static final Set<Action> PUT_BACK = Set.of(Action.RE_ENQUEUE);

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Map<Long, Long> performed = new HashMap<>();
		ledger.performs.values().forEach((performs) -> {
			for (Perform perform : performs) {
				checkKnown(perform, ledger, violations);
				for (long payload : perform.payloads) {
					if (perform.handles(payload)) {
						performed.merge(payload, perform.start, Math::max);
					}
				}
			}
		});
		for (Enqueued enqueued : ledger.enqueued.values()) {
			if (enqueued.acknowledged() && performed.getOrDefault(enqueued.payload, 0L) < since(enqueued, ledger)
					&& !ledger.dead.contains(enqueued.payload) && !deleted(enqueued, ledger)
					&& !replaced(enqueued, ledger, settings) && !ledger.forgotten(enqueued)) {
				violations.accept(new Violation(Rule.NOTHING_LOST, "Lost: " + enqueued));
			}
		}
		for (long dead : ledger.dead) {
			if (!ledger.enqueued.containsKey(dead)) {
				violations.accept(new Violation(Rule.NOTHING_INVENTED, "Dead, but never enqueued: payload " + dead));
			}
		}
		ledger.left.forEach((left) -> violations
			.accept(new Violation(Rule.NOTHING_STRANDED, "Left at the end: %s/%s".formatted(left.queue(), left.id()))));
	}

	/** A follow-up that is sent again is not enqueued again. */
	private static long since(Enqueued enqueued, Ledger ledger) {
		return ledger.followUps.containsKey(enqueued.payload) ? enqueued.called() : enqueued.lastCalled();
	}

	/**
	 * Whether only the latest payload is kept, and a newer one was fetched in its place:
	 * at the latest by the first fetch after it was acknowledged.
	 */
	private static boolean replaced(Enqueued enqueued, Ledger ledger, Settings settings) {
		if (!settings.gathering(enqueued.queue).keepLatest()) {
			return false;
		}
		for (Perform perform : ledger.performs.getOrDefault(new Ledger.Job(enqueued.queue, enqueued.id), List.of())) {
			if (perform.start > enqueued.lastCalled()) {
				if (containsNewer(perform, enqueued.payload, enqueued.lastCalled(), ledger)
						|| isPutBack(perform, enqueued, ledger)) {
					return true;
				}
				if (perform.fetched > enqueued.lastReturned() && !perform.contains(enqueued.payload)) {
					return false;
				}
			}
		}
		return false;
	}

	/** Whether a dead payload may have come between, with a score of before. */
	private static boolean isPutBack(Perform perform, Enqueued enqueued, Ledger ledger) {
		return !perform.contains(enqueued.payload)
				&& ledger.acted(new Ledger.Job(enqueued.queue, enqueued.id), PUT_BACK, enqueued.called(), perform.start)
				&& ledger.faulty((kind) -> kind == FaultKind.CLOCK || kind.forgets(), "*", 0, perform.start);
	}

	/** Whether a run has another payload that was not acknowledged before a time. */
	static boolean containsNewer(Perform perform, long payload, long time, Ledger ledger) {
		return Arrays.stream(perform.payloads).anyMatch((other) -> {
			Enqueued enqueued = ledger.enqueued.get(other);
			return other != payload && enqueued != null && enqueued.lastReturned() > time;
		});
	}

	static boolean deleted(Enqueued enqueued, Ledger ledger) {
		return ledger.acted(new Ledger.Job(enqueued.queue, enqueued.id), DELETE, enqueued.called(), Long.MAX_VALUE);
	}

	private static void checkKnown(Perform perform, Ledger ledger, Consumer<Violation> violations) {
		for (long payload : perform.payloads) {
			Enqueued enqueued = ledger.enqueued.get(payload);
			FollowUp followUp = ledger.followUps.get(payload);
			Ledger.Job job = new Ledger.Job(perform.shard.queue(), perform.id);
			if (enqueued == null || !new Ledger.Job(enqueued.queue, enqueued.id).equals(job)
					|| (followUp != null && !followUp.job().equals(job))) {
				violations.accept(new Violation(Rule.NOTHING_INVENTED,
						"Payload %d was not enqueued for this job: %s".formatted(payload, perform)));
			}
		}
	}

}
