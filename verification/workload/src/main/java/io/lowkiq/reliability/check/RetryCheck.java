package io.lowkiq.reliability.check;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;

/**
 * I4 and I7, from each run of a job to the next: what was not finished comes back, a
 * retry waits for its time, and only a failure of the worker makes the retryCount grow.
 * Of a job whose retries are used up, the first payload goes to the morgue, or all do, or
 * all wait for a person.
 */
final class RetryCheck implements Check {

	/** Actions of operators that change a retry. */
	private static final Set<Action> INTERFERENCE = Set.of(Action.PERFORM_NOW, Action.DELETE, Action.RE_ENQUEUE);

	private static final Set<Action> RELEASE = Set.of(Action.RELEASE);

	/** The store counts in milliseconds of another clock. */
	private static final long ROUNDING = 50_000_000;

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		ledger.performs.forEach((job, performs) -> {
			for (int i = 1; i < performs.size(); i++) {
				Perform before = performs.get(i - 1);
				Perform next = performs.get(i);
				if (!ledger.acted(job, INTERFERENCE, before.start, next.start)
						&& !wentBack(before, next, ledger, settings)) {
					checkComesBack(before, next, ledger, settings, violations);
					checkBurial(before, next, ledger, settings, violations);
					checkDelay(before, next, ledger, settings, violations);
					checkRetryCount(before, next, ledger, settings, violations);
					checkHold(before, next, ledger, settings, violations);
				}
			}
		});
	}

	/**
	 * Redis forgot what happened between, and began again where it was before. If it did
	 * so soon after, or lost its morgues later, nobody knows whether a payload had gone
	 * unread to the morgue.
	 */
	private static boolean wentBack(Perform before, Perform next, Ledger ledger, Settings settings) {
		boolean mayDieUnread = settings.isUnreadableAtTimes(next.shard.queue());
		return ledger.faulty(FaultKind::forgets, "*", before.fetched, next.start + (mayDieUnread ? Fault.FORGETS : 0))
				|| (mayDieUnread && ledger.faulty(FaultKind.EMPTY::equals, "*", next.start, Long.MAX_VALUE));
	}

	private static void checkComesBack(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		if (before.success) {
			return;
		}
		String queue = before.shard.queue();
		for (int i = buried(before, settings); i < before.payloads.length; i++) {
			long payload = before.payloads[i];
			boolean waits = settings.isUnreadableAtTimes(queue)
					&& next.scores[next.scores.length - 1] <= before.scores[i];
			if (!before.leaves(payload) && !next.contains(payload) && !ledger.dead.contains(payload) && !waits
					&& !replaced(payload, next, ledger, settings)) {
				violations.accept(new Violation(Rule.ORDER_AFTER_FAILURE,
						"Payload %d did not come back: %s, then %s".formatted(payload, before, next)));
			}
		}
	}

	/** How many of its first payloads go to the morgue, except for done ones. */
	private static int buried(Perform perform, Settings settings) {
		return perform.usesUpRetries(settings.maxRetryCount())
				? settings.buried(perform.shard.queue(), perform.payloads.length) : 0;
	}

	private static void checkBurial(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		for (int i = 0; before.completed() && i < buried(before, settings); i++) {
			long payload = before.payloads[i];
			if (next.contains(payload) && !DuplicateCheck.enqueuedAgain(payload, before, ledger)) {
				violations.accept(new Violation(Rule.BURIAL,
						"Payload %d should be in the morgue: %s, then %s".formatted(payload, before, next)));
			}
		}
	}

	/** Where only the latest payload is kept, a newer one takes its place. */
	private static boolean replaced(long payload, Perform next, Ledger ledger, Settings settings) {
		Enqueued enqueued = ledger.enqueued.get(payload);
		return settings.gathering(next.shard.queue()).keepLatest() && enqueued != null
				&& LossCheck.containsNewer(next, payload, enqueued.called(), ledger);
	}

	private static void checkDelay(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		boolean planned = before.failed() && before.completed() && !before.leaseLost
				&& !before.usesUpRetries(settings.maxRetryCount())
				&& !ledger.faulty(FaultKind::movesClock, "*", before.end, next.start)
				&& !hurried(before, next, ledger, settings);
		if (planned && next.start < before.end + settings.retryDelay().toNanos() - ROUNDING) {
			violations
				.accept(new Violation(Rule.RETRY_DELAY, "Retried too early: %s, then %s".formatted(before, next)));
		}
	}

	/** Where a new payload makes a retry due. */
	private static boolean hurried(Perform before, Perform next, Ledger ledger, Settings settings) {
		return settings.gathering(next.shard.queue()).retryNow() && Arrays.stream(next.payloads)
			.anyMatch((payload) -> !before.contains(payload) || DuplicateCheck.enqueuedAgain(payload, before, ledger));
	}

	private static void checkRetryCount(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		Set<Integer> allowed = new TreeSet<>();
		int count = before.leaves(before.payloads[0]) ? 0 : before.retryCount + 1;
		int grown = (count < settings.maxRetryCount()) ? count : -1;
		boolean applied = before.completed();
		if (!before.ended || settings.isUnreadableAtTimes(before.shard.queue())) {
			for (long payload : before.payloads) {
				if (ledger.dead.contains(payload)) {
					allowed.add(-1);
				}
			}
		}
		if (before.ended) {
			allowed.add(before.success ? -1 : grown);
		}
		if (!before.ended || !applied) {
			allowed.add(before.retryCount);
		}
		boolean begunAgain = next.retryCount == -1 && !allowed.contains(-1)
				&& leftUnread(before, next, ledger, settings);
		if (!begunAgain && !allowed.contains(next.retryCount)) {
			violations.accept(new Violation(Rule.RETRY_COUNT,
					"retryCount may be %s: %s, then %s".formatted(allowed, before, next)));
		}
	}

	/**
	 * Whether a payload that came in front of the failed ones went to the morgue unread:
	 * the failures of a job leave with its first payload.
	 */
	private static boolean leftUnread(Perform before, Perform next, Ledger ledger, Settings settings) {
		String queue = before.shard.queue();
		long grace = settings.failures(queue).unreadableGrace().toNanos();
		return settings.isUnreadableAtTimes(queue) && ledger.enqueued.values()
			.stream()
			.filter((one) -> one.queue.equals(queue) && one.id.equals(before.id) && !one.defaultScore)
			.filter((one) -> ledger.dead.contains(one.payload) && !before.contains(one.payload))
			.filter((one) -> one.returned() > before.fetched && one.called() < next.start)
			.anyMatch((one) -> one.called() + grace <= next.start
					|| ledger.faulty(FaultKind::movesClock, "*", one.called(), next.start));
	}

	private static void checkHold(Perform before, Perform next, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		Ledger.Job job = new Ledger.Job(before.shard.queue(), before.id);
		if (settings.holds(job.queue()) && before.usesUpRetries(settings.maxRetryCount()) && before.completed()
				&& !ledger.acted(job, RELEASE, before.start, next.start)) {
			violations.accept(new Violation(Rule.HOLD, "Nobody released it: %s, then %s".formatted(before, next)));
		}
	}

}
