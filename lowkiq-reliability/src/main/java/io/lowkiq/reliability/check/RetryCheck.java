package io.lowkiq.reliability.check;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;

/**
 * I4 and I7, from each perform of a job to the next: what was not finished comes back, a
 * retry waits for its time, and only a failure of the worker makes the retryCount grow.
 * Of a job whose retries are used up, the first payload goes to the morgue.
 */
final class RetryCheck implements Check {

	/** What operators do that changes a retry. */
	private static final Set<Action> INTERFERENCE = Set.of(Action.PERFORM_NOW, Action.DELETE, Action.RE_ENQUEUE);

	/** The store counts in milliseconds of another clock. */
	private static final long ROUNDING = 50_000_000;

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		ledger.performs.forEach((job, performs) -> {
			for (int i = 1; i < performs.size(); i++) {
				Perform before = performs.get(i - 1);
				Perform next = performs.get(i);
				if (!ledger.acted(job, INTERFERENCE, before.start, next.start) && !wentBack(before, next, ledger)) {
					checkComesBack(before, next, ledger, settings, violations);
					checkDelay(before, next, ledger, settings, violations);
					checkRetryCount(before, next, ledger, settings, violations);
				}
			}
		});
	}

	/** Redis forgot what happened between, and began again where it was before. */
	private static boolean wentBack(Perform before, Perform next, Ledger ledger) {
		return ledger.faulty((kind) -> kind == FaultKind.FAILOVER, "*", before.fetched, next.start);
	}

	private static void checkComesBack(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		if (before.success) {
			return;
		}
		boolean usedUp = before.failed() && before.retryCount + 1 >= settings.maxRetryCount();
		for (int i = usedUp ? 1 : 0; i < before.payloads.length; i++) {
			long payload = before.payloads[i];
			if (!next.contains(payload) && !ledger.dead.contains(payload)) {
				violations.accept(new Violation(Rule.ORDER_AFTER_FAILURE,
						"Payload %d did not come back: %s, then %s".formatted(payload, before, next)));
			}
		}
	}

	private static void checkDelay(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		boolean planned = before.failed() && before.completed() && before.retryCount + 1 < settings.maxRetryCount()
				&& !ledger.faulty(FaultKind::movesClock, "*", before.end, next.start);
		if (planned && next.start < before.end + settings.retryDelay().toNanos() - ROUNDING) {
			violations
				.accept(new Violation(Rule.RETRY_DELAY, "Retried too early: %s, then %s".formatted(before, next)));
		}
	}

	private static void checkRetryCount(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		Set<Integer> allowed = new TreeSet<>();
		int grown = (before.retryCount + 1 < settings.maxRetryCount()) ? before.retryCount + 1 : -1;
		boolean applied = before.completed();
		if (!before.ended) {
			allowed.add(before.retryCount);
			for (long payload : before.payloads) {
				if (ledger.dead.contains(payload)) {
					allowed.add(-1);
				}
			}
		}
		else {
			allowed.add(before.success ? -1 : grown);
			if (!applied) {
				allowed.add(before.retryCount);
			}
		}
		if (!allowed.contains(next.retryCount)) {
			violations.accept(new Violation(Rule.RETRY_COUNT,
					"retryCount may be %s: %s, then %s".formatted(allowed, before, next)));
		}
	}

}
