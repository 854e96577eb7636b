package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;

/**
 * A payload that went to the morgue because it could not be read was overtaken by no
 * newer payload of its id before its grace was over.
 */
final class UnreadableCheck implements Check {

	private static final Set<Action> INTERFERENCE = Set.of(Action.DELETE, Action.RE_ENQUEUE);

	/** The store counts in milliseconds of another clock. */
	private static final long ROUNDING = Duration.ofMillis(50).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		for (Enqueued enqueued : ledger.enqueued.values()) {
			Ledger.Job job = new Ledger.Job(enqueued.queue, enqueued.id);
			List<Perform> performs = ledger.performs.getOrDefault(job, List.of());
			if (!settings.isUnreadableAtTimes(enqueued.queue) || !ledger.dead.contains(enqueued.payload)
					|| !enqueued.defaultScore
					|| performs.stream().anyMatch((perform) -> perform.contains(enqueued.payload))) {
				continue;
			}
			long until = enqueued.called() + settings.failures(enqueued.queue).unreadableGrace().toNanos() - ROUNDING;
			for (Perform perform : performs) {
				if (perform.start < until && hasNewer(perform, enqueued, ledger)
						&& !ledger.acted(job, INTERFERENCE, enqueued.called(), perform.start)
						&& !ledger.faulty(FaultKind::movesClock, "*", enqueued.called(), perform.start)) {
					violations.accept(new Violation(Rule.UNREADABLE_GRACE,
							"%s was overtaken within its grace: %s".formatted(enqueued, perform)));
				}
			}
		}
	}

	private static boolean hasNewer(Perform perform, Enqueued enqueued, Ledger ledger) {
		for (long payload : perform.payloads) {
			Enqueued other = ledger.enqueued.get(payload);
			if (other != null && other.defaultScore && other.called() > enqueued.returned()) {
				return true;
			}
		}
		return false;
	}

}
