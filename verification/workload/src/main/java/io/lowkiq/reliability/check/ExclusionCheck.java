package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.FaultKind;

/**
 * I1: two runs of an id don't overlap while the leases of both hold, and none begins
 * without a lease. Until when a lease holds is what the node could know by its own clock:
 * the sending of the heartbeat before the last answered one plus the lease duration. A
 * failover may lose a lease, so for a lease duration after it overlaps are only counted.
 */
final class ExclusionCheck implements Check {

	/**
	 * Between a node's last look at its lease and the first line of the worker another
	 * process may have had the processor.
	 */
	private static final long LATE = Duration.ofMillis(500).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		for (List<Perform> performs : ledger.performs.values()) {
			performs.forEach((perform) -> checkLease(perform, ledger, violations));
			overlaps(performs).stream()
				.filter((pair) -> bothHeld(pair, ledger) && !isForgotten(pair.second().start, ledger, settings))
				.forEach((pair) -> violations
					.accept(new Violation(Rule.EXCLUSION, "Overlap under valid leases: " + pair)));
		}
	}

	/** All pairs of runs of a job that overlap, whether the leases held or not. */
	static List<Overlap> overlaps(List<Perform> performs) {
		List<Overlap> overlaps = new ArrayList<>();
		List<Perform> running = new ArrayList<>();
		for (Perform perform : performs.stream().sorted(Comparator.comparingLong((p) -> p.start)).toList()) {
			running.removeIf((earlier) -> earlier.end <= perform.start);
			running.forEach((earlier) -> overlaps.add(new Overlap(earlier, perform)));
			running.add(perform);
		}
		return overlaps;
	}

	private static boolean bothHeld(Overlap overlap, Ledger ledger) {
		long at = overlap.second().start;
		return held(overlap.first(), at, ledger) && held(overlap.second(), at, ledger);
	}

	/** Whether a failover may have lost a lease at a time, and nobody can know that. */
	static boolean isForgotten(long at, Ledger ledger, Settings settings) {
		return ledger.faulty(FaultKind::forgets, "*", at - settings.lease().toNanos(), at);
	}

	/** Whether the lease of a run surely held at a time. */
	static boolean held(Perform perform, long at, Ledger ledger) {
		return ledger.heldUntil(ledger.session(perform.shard, perform.epoch), at) > at;
	}

	private static void checkLease(Perform perform, Ledger ledger, Consumer<Violation> violations) {
		String session = ledger.session(perform.shard, perform.epoch);
		if (session == null) {
			violations.accept(new Violation(Rule.LEASE_BEFORE_PERFORM, "Nobody was given the epoch: " + perform));
			return;
		}
		long until = ledger.heldUntil(session, perform.start);
		if (until + LATE < perform.start && !ledger.faulty((kind) -> kind == FaultKind.STOP || kind == FaultKind.STALL,
				perform.process, until, perform.start)) {
			violations.accept(new Violation(Rule.LEASE_BEFORE_PERFORM,
					"Begun %d ms after the lease ended: %s".formatted((perform.start - until) / 1_000_000, perform)));
		}
	}

	/** Two runs, the second begun while the first ran. */
	record Overlap(Perform first, Perform second) {
	}

}
