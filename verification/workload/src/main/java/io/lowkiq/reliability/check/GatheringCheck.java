package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;

/**
 * The promises of a queue's gathering policy: an id is performed when it may have been
 * quiet and no later than after the longest wait, its runs keep their distance, only the
 * latest payload is delivered, or the latest of equal ones counts. They hold from the
 * first lease of a shard on.
 */
final class GatheringCheck implements Check {

	private static final Set<Action> INTERFERENCE = Set.of(Action.PERFORM_NOW, Action.DELETE, Action.RE_ENQUEUE);

	private static final Set<Action> PAUSE = Set.of(Action.PAUSE, Action.RESUME);

	/** The store counts in milliseconds of another clock. */
	private static final long ROUNDING = Duration.ofMillis(50).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		ledger.performs.forEach((job, performs) -> {
			GatheringPolicy policy = settings.gathering(job.queue());
			if (!policy.debounce().isZero()) {
				fresh(performs).forEach((perform) -> checkQuiet(job, perform, policy, ledger, violations));
			}
			if (!policy.minInterval().isZero()) {
				checkDistance(job, performs, policy, ledger, violations);
			}
			if (policy.keepLatest()) {
				performs.forEach((perform) -> checkOnlyOne(job, perform, ledger, violations));
			}
		});
		delays(ledger, settings).forEach((perform, delay) -> {
			long limit = settings.recoveryMargin().toNanos();
			if (delay > limit && (settings.idle() || delay - underCalls(perform, delay, ledger) > limit)) {
				violations.accept(new Violation(Rule.MAX_WAIT,
						"%d ms after the longest wait: %s".formatted(delay / 1_000_000, perform)));
			}
		});
		checkEqual(ledger, settings, violations);
	}

	/** The runs of an id that have only payloads which were not performed before. */
	private static List<Perform> fresh(List<Perform> performs) {
		Set<Long> seen = new HashSet<>();
		List<Perform> fresh = new ArrayList<>();
		for (Perform perform : performs) {
			if (Arrays.stream(perform.payloads).filter(seen::add).count() == perform.payloads.length
					&& perform.retryCount < 0) {
				fresh.add(perform);
			}
		}
		return fresh;
	}

	/** The payloads of a run; empty if one is unknown, delayed, or before any owner. */
	private static List<Enqueued> payloads(Perform perform, Ledger ledger) {
		long emptied = ledger.faults.stream()
			.filter((fault) -> fault.kind() == FaultKind.EMPTY && fault.begun() <= perform.start)
			.mapToLong(Fault::begun)
			.max()
			.orElse(Long.MIN_VALUE);
		long since = ledger.leases.getOrDefault(perform.shard, List.of())
			.stream()
			.mapToLong((lease) -> lease.given().time())
			.filter((time) -> time >= emptied)
			.min()
			.orElse(Long.MAX_VALUE);
		List<Enqueued> payloads = new ArrayList<>();
		for (long payload : perform.payloads) {
			Enqueued enqueued = ledger.enqueued.get(payload);
			if (enqueued == null || enqueued.delay > 0 || enqueued.called() < since) {
				return List.of();
			}
			payloads.add(enqueued);
		}
		return payloads;
	}

	private static boolean clockMoved(Ledger ledger, long from, long to) {
		return ledger.faulty(FaultKind::movesClock, "*", from, to);
	}

	/** The oldest payload waits for the quiet time at least. */
	private static void checkQuiet(Ledger.Job job, Perform perform, GatheringPolicy policy, Ledger ledger,
			Consumer<Violation> violations) {
		long first = payloads(perform, ledger).stream().mapToLong(Enqueued::called).min().orElse(Long.MIN_VALUE);
		if (first != Long.MIN_VALUE && perform.start < first + policy.debounce().toNanos() - ROUNDING
				&& !ledger.acted(job, INTERFERENCE, first, perform.start)
				&& !clockMoved(ledger, first, perform.start)) {
			violations.accept(new Violation(Rule.DEBOUNCE, "Not quiet yet: " + perform));
		}
	}

	private static void checkDistance(Ledger.Job job, List<Perform> performs, GatheringPolicy policy, Ledger ledger,
			Consumer<Violation> violations) {
		for (int i = 1; i < performs.size(); i++) {
			Perform before = performs.get(i - 1);
			Perform next = performs.get(i);
			if (before.ended && before.completed()
					&& next.start < before.end + policy.minInterval().toNanos() - ROUNDING
					&& !ledger.acted(job, INTERFERENCE, before.start, next.start)
					&& !clockMoved(ledger, before.fetched, next.start)) {
				violations.accept(new Violation(Rule.MIN_INTERVAL, "Too soon: %s, then %s".formatted(before, next)));
			}
		}
	}

	/** Payloads out of the morgue join the queued ones. */
	private static void checkOnlyOne(Ledger.Job job, Perform perform, Ledger ledger, Consumer<Violation> violations) {
		if (perform.payloads.length > 1 && payloads(perform, ledger).size() > 1
				&& !ledger.acted(job, Set.of(Action.RE_ENQUEUE), 0, perform.start)) {
			violations.accept(new Violation(Rule.KEEP_LATEST, "More than the latest: " + perform));
		}
	}

	/**
	 * How long after the longest wait performs began, in nanoseconds; below zero if
	 * before. Only of ids that were neither busy nor waiting for a retry when their first
	 * payload came, and that no person and no fault held up since a lease duration before
	 * that.
	 */
	static Map<Perform, Long> delays(Ledger ledger, Settings settings) {
		Map<Perform, Long> delays = new LinkedHashMap<>();
		ledger.performs.forEach((job, performs) -> {
			GatheringPolicy policy = settings.gathering(job.queue());
			if (policy.maxWait().isZero()) {
				return;
			}
			for (Perform perform : fresh(performs)) {
				List<Enqueued> payloads = payloads(perform, ledger);
				long called = payloads.stream().mapToLong(Enqueued::called).min().orElse(Long.MIN_VALUE);
				long returned = payloads.stream().mapToLong(Enqueued::returned).min().orElse(Enqueued.NEVER);
				if (returned != Enqueued.NEVER && isFree(perform, performs, called)
						&& !heldUp(job, called - settings.lease().toNanos(), perform.start, ledger)) {
					delays.put(perform, perform.start - returned - policy.maxWait().toNanos());
				}
			}
		});
		return delays;
	}

	/**
	 * For how much of its delay a run waited while the owner of its shard waited for
	 * answers that took long. On a machine that has other work, each may take a while.
	 */
	private static long underCalls(Perform perform, long delay, Ledger ledger) {
		long due = perform.start - delay;
		return ledger.calls.getOrDefault(perform.shard, List.of())
			.stream()
			.filter((call) -> call.process().equals(perform.process))
			.mapToLong((call) -> Math.min(call.ended(), perform.start) - Math.max(call.called().time(), due) - ROUNDING)
			.filter((overlap) -> overlap > 0)
			.sum();
	}

	private static boolean isFree(Perform perform, List<Perform> performs, long called) {
		int place = performs.indexOf(perform);
		return place == 0 || (performs.get(place - 1).success && performs.get(place - 1).end < called);
	}

	private static boolean heldUp(Ledger.Job job, long from, long to, Ledger ledger) {
		return ledger.acted(job, INTERFERENCE, from, to) || paused(job.queue(), to, ledger)
				|| ledger.faults.stream().anyMatch((fault) -> fault.touches(from, to));
	}

	/** Whether a queue was paused before, and resumed a moment ago at the latest. */
	private static boolean paused(String queue, long time, Ledger ledger) {
		return ledger.acted(new Ledger.Job(queue, "*"), PAUSE, time - Duration.ofSeconds(5).toNanos(), time);
	}

	/** The last payload performed of an id is the last one enqueued. */
	private static void checkEqual(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Map<Ledger.Job, List<Enqueued>> byJob = new HashMap<>();
		for (Enqueued enqueued : ledger.enqueued.values()) {
			if (settings.gathering(enqueued.queue).equalLatest()) {
				byJob.computeIfAbsent(new Ledger.Job(enqueued.queue, enqueued.id), (job) -> new ArrayList<>())
					.add(enqueued);
			}
		}
		byJob.forEach((job, payloads) -> {
			Enqueued last = payloads.stream().max((a, b) -> Long.compare(a.lastCalled(), b.lastCalled())).orElseThrow();
			boolean certain = payloads.stream()
				.allMatch((one) -> one.defaultScore && one.lastReturned() != Enqueued.NEVER
						&& !ledger.dead.contains(one.payload) && !ledger.forgotten(one)
						&& (one == last || one.lastReturned() < last.lastCalled()));
			List<Perform> done = ledger.performs.getOrDefault(job, List.of())
				.stream()
				.filter((perform) -> perform.success)
				.toList();
			if (!certain || done.isEmpty() || ledger.actions.containsKey(job)) {
				return;
			}
			Perform perform = done.get(done.size() - 1);
			if (perform.payloads[perform.payloads.length - 1] != last.payload && !payloads(perform, ledger).isEmpty()) {
				violations
					.accept(new Violation(Rule.EQUAL_LATEST, "%s should have come last: %s".formatted(last, perform)));
			}
		});
	}

}
