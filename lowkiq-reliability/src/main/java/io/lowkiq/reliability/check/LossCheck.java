package io.lowkiq.reliability.check;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * I3: what was acknowledged is performed to success or lies in the morgue, and nothing is
 * left over; nothing appears that was not enqueued.
 */
final class LossCheck implements Check {

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Set<Long> performed = new HashSet<>();
		ledger.performs.values().forEach((performs) -> {
			for (Perform perform : performs) {
				checkKnown(perform, ledger, violations);
				if (perform.success) {
					for (long payload : perform.payloads) {
						performed.add(payload);
					}
				}
			}
		});
		for (Enqueued enqueued : ledger.enqueued.values()) {
			if (enqueued.acknowledged() && !performed.contains(enqueued.payload)
					&& !ledger.dead.contains(enqueued.payload)) {
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
