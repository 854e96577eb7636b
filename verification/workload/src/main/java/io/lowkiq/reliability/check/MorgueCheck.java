package io.lowkiq.reliability.check;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.store.ShardStore;

/**
 * Rule 8: a payload is in the morgue because a worker buried it or used up its retries,
 * or because more than three runs of its job were caught in a crash. A node that stands
 * still, or is cut off, can't be told from one that has crashed. An outage of Redis hits
 * all nodes, and is none. Where payloads can't be read at times, nobody knows why they
 * died.
 */
final class MorgueCheck implements Check {

	/** The faults that make one process look crashed. */
	private static final Set<FaultKind> CRASHES = Set.of(FaultKind.KILL, FaultKind.POISON, FaultKind.STOP,
			FaultKind.STALL, FaultKind.HANG, FaultKind.CUT, FaultKind.LOST_ANSWERS, FaultKind.LATENCY);

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		for (long dead : ledger.dead) {
			Enqueued enqueued = ledger.enqueued.get(dead);
			if (enqueued == null || settings.isUnreadableAtTimes(enqueued.queue)) {
				continue;
			}
			List<Perform> performs = ledger.performs.getOrDefault(new Ledger.Job(enqueued.queue, enqueued.id),
					List.of());
			long crashes = performs.stream().filter((perform) -> crashed(perform, ledger)).count();
			if (crashes <= ShardStore.MAX_CRASHES
					&& performs.stream().noneMatch((perform) -> buries(perform, dead, settings))) {
				violations.accept(new Violation(Rule.MORGUE_EXPLAINED,
						"Dead after %d crashes, and no worker buried it: %s".formatted(crashes, enqueued)));
			}
		}
	}

	private static boolean crashed(Perform perform, Ledger ledger) {
		return ledger.faults.stream()
			.anyMatch((fault) -> CRASHES.contains(fault.kind()) && fault.process().equals(perform.process)
					&& fault.touches(perform.start, Math.min(perform.end, ledger.gone(perform.process))));
	}

	private static boolean buries(Perform perform, long payload, Settings settings) {
		boolean usedUp = perform.failed() && !perform.handles(payload)
				&& perform.retryCount + 1 >= settings.maxRetryCount();
		return perform.contains(payload) && (perform.buries(payload) || usedUp);
	}

}
