package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.FaultKind;

/** A payload of an id of its own is not performed before its time. */
final class DelayCheck implements Check {

	/** The store counts in milliseconds of another clock. */
	private static final long ROUNDING = Duration.ofMillis(50).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		for (Enqueued enqueued : ledger.enqueued.values()) {
			if (enqueued.delay == 0) {
				continue;
			}
			List<Perform> performs = ledger.performs.getOrDefault(new Ledger.Job(enqueued.queue, enqueued.id),
					List.of());
			for (Perform perform : performs) {
				if (perform.start < enqueued.called() + enqueued.delay - ROUNDING
						&& !ledger.faulty(FaultKind::movesClock, "*", enqueued.called(), perform.start)) {
					violations
						.accept(new Violation(Rule.DELAY, "Before its time: %s, %s".formatted(enqueued, perform)));
				}
			}
		}
	}

}
