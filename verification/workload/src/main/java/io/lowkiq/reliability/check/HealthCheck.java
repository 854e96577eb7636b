package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** A node whose health is DOWN because of a fault is UP again soon after it. */
final class HealthCheck implements Check {

	private static final long LIMIT = Duration.ofSeconds(30).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		for (Unwell unwell : ledger.unwell) {
			long until = Math.min(unwell.until(), ledger.gone(unwell.process()));
			long alone = longestWithoutFault(unwell.process(), unwell.from(), until, ledger.faults);
			if (alone > LIMIT) {
				violations.accept(new Violation(Rule.HEALTH, "The health of %s was DOWN for %d ms without a fault"
					.formatted(unwell.process(), alone / 1_000_000)));
			}
		}
	}

	private static long longestWithoutFault(String process, long from, long until, List<Fault> faults) {
		List<Fault> ascending = faults.stream()
			.filter((fault) -> fault.hits(process) && fault.touches(from, until))
			.sorted(Comparator.comparingLong(Fault::begun))
			.toList();
		long longest = 0;
		long at = from;
		for (Fault fault : ascending) {
			longest = Math.max(longest, fault.begun() - at);
			at = Math.max(at, fault.over());
		}
		return Math.max(longest, until - at);
	}

}
