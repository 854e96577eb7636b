package io.lowkiq.reliability.check;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * I4 and I7, from each perform of a job to the next: what was not finished comes back, a
 * retry waits for its time, and only a failure of the worker makes the retryCount grow.
 */
final class RetryCheck implements Check {

	/** The store counts in milliseconds of another clock. */
	private static final long ROUNDING = 50_000_000;

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		for (List<Perform> performs : ledger.performs.values()) {
			for (int i = 1; i < performs.size(); i++) {
				Perform before = performs.get(i - 1);
				Perform next = performs.get(i);
				checkComesBack(before, next, ledger, violations);
				checkDelay(before, next, settings, violations);
				checkRetryCount(before, next, ledger, settings, violations);
			}
		}
	}

	private static void checkComesBack(Perform before, Perform next, Ledger ledger, Consumer<Violation> violations) {
		if (before.success) {
			return;
		}
		for (long payload : before.payloads) {
			if (!next.contains(payload) && !ledger.dead.contains(payload)) {
				violations.accept(new Violation(Rule.ORDER_AFTER_FAILURE,
						"Payload %d did not come back: %s, then %s".formatted(payload, before, next)));
			}
		}
	}

	private static void checkDelay(Perform before, Perform next, Settings settings, Consumer<Violation> violations) {
		boolean planned = before.failed() && before.settlement == Perform.Settlement.APPLIED
				&& before.retryCount + 1 < settings.maxRetryCount();
		if (planned && next.start < before.end + settings.retryDelay().toNanos() - ROUNDING) {
			violations
				.accept(new Violation(Rule.RETRY_DELAY, "Retried too early: %s, then %s".formatted(before, next)));
		}
	}

	private static void checkRetryCount(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		Set<Integer> allowed = new TreeSet<>();
		int grown = (before.retryCount + 1 < settings.maxRetryCount()) ? before.retryCount + 1 : -1;
		boolean applied = before.settlement == Perform.Settlement.APPLIED;
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
