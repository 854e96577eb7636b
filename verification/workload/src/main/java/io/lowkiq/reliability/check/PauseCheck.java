package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;

/**
 * No job of a paused queue is fetched, and what was fetched before and not begun goes
 * back; on a machine that has other work, perhaps after it was begun all the same.
 */
final class PauseCheck implements Check {

	/** A thread that has taken a job may get no processor for a while. */
	private static final long LATE = Duration.ofMillis(500).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		ledger.actions.forEach((job, acted) -> {
			for (int i = 0; i < acted.size(); i++) {
				Acted paused = acted.get(i);
				if (paused.action() == Action.PAUSE && paused.returned() != Long.MAX_VALUE) {
					long until = (i + 1 < acted.size()) ? acted.get(i + 1).called() : Long.MAX_VALUE;
					check(paused, until, ledger, settings, violations);
				}
			}
		});
	}

	private static void check(Acted paused, long until, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		long from = paused.returned() + LATE;
		if (until <= from || ledger.faulty(FaultKind::forgets, "*", paused.called() - Fault.FORGETS, until)) {
			return;
		}
		for (List<Perform> performs : ledger.performs.values()) {
			for (Perform perform : performs) {
				boolean mayBeLate = !settings.idle() && perform.fetched <= paused.returned();
				if (perform.start > from && perform.start < until && !mayBeLate
						&& perform.shard.queue().equals(paused.queue())
						&& !ledger.faulty(PauseCheck::delaysAnswers, perform.process, paused.called(), perform.start)) {
					violations.accept(new Violation(Rule.PAUSE, "Begun during %s: %s".formatted(paused, perform)));
				}
			}
		}
	}

	/** Whether a job may arrive late that was fetched before the pause. */
	private static boolean delaysAnswers(FaultKind kind) {
		return kind == FaultKind.STOP || kind == FaultKind.STALL || kind == FaultKind.HANG;
	}

}
