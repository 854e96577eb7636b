package io.lowkiq.reliability.check;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Action;

/**
 * I3: what was acknowledged is performed to success after that, or is in the morgue, and
 * nothing is left over; nothing appears that was not enqueued. What operators deleted may
 * be missing.
 */
final class LossCheck implements Check {

	private static final Set<Action> DELETE = Set.of(Action.DELETE);

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Map<Long, Long> performed = new HashMap<>();
		ledger.performs.values().forEach((performs) -> {
			for (Perform perform : performs) {
				checkKnown(perform, ledger, violations);
				if (perform.success) {
					for (long payload : perform.payloads) {
						performed.merge(payload, perform.start, Math::max);
					}
				}
			}
		});
		for (Enqueued enqueued : ledger.enqueued.values()) {
			if (enqueued.acknowledged() && performed.getOrDefault(enqueued.payload, 0L) < enqueued.lastCalled()
					&& !ledger.dead.contains(enqueued.payload) && !deleted(enqueued, ledger)) {
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

	static boolean deleted(Enqueued enqueued, Ledger ledger) {
		return ledger.acted(new Ledger.Job(enqueued.queue, enqueued.id), DELETE, enqueued.called(), Long.MAX_VALUE);
	}

	private static void checkKnown(Perform perform, Ledger ledger, Consumer<Violation> violations) {
		for (long payload : perform.payloads) {
			Enqueued enqueued = ledger.enqueued.get(payload);
			if (enqueued == null || !enqueued.queue.equals(perform.shard.queue()) || !enqueued.id.equals(perform.id)) {
				violations.accept(new Violation(Rule.NOTHING_INVENTED,
						"Payload %d was not enqueued for this job: %s".formatted(payload, perform)));
			}
		}
	}

}
