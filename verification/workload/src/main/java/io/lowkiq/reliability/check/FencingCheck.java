package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.store.job.Shard;

/**
 * I6: an epoch has one owner, and no call that was sent after somebody had got a later
 * epoch is applied.
 */
final class FencingCheck implements Check {

	/** The last leases before a failover may be lost. */
	private static final long FORGETS = Duration.ofSeconds(1).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		ledger.leases.forEach((shard, leases) -> {
			checkOneOwner(shard, leases, violations);
			checkCalls(leases, ledger, ledger.calls.getOrDefault(shard, List.of()), violations);
		});
	}

	private static void checkOneOwner(Shard shard, List<Ledger.Lease> leases, Consumer<Violation> violations) {
		Map<Long, Ledger.Lease> byEpoch = new HashMap<>();
		for (Ledger.Lease lease : leases) {
			Ledger.Lease other = byEpoch.putIfAbsent(lease.given().epoch(), lease);
			if (other != null) {
				violations.accept(new Violation(Rule.FENCING,
						"Epoch given twice on %s: %s and %s".formatted(shard, other, lease)));
			}
		}
	}

	private static void checkCalls(List<Ledger.Lease> leases, Ledger ledger, List<Ledger.Call> calls,
			Consumer<Violation> violations) {
		TreeMap<Long, Ledger.Lease> highest = new TreeMap<>();
		for (Ledger.Lease lease : leases) {
			Map.Entry<Long, Ledger.Lease> last = highest.lastEntry();
			if (last == null || last.getValue().given().epoch() < lease.given().epoch()) {
				highest.put(lease.given().time(), lease);
			}
		}
		for (Ledger.Call call : calls) {
			Map.Entry<Long, Ledger.Lease> current = highest.lowerEntry(call.called().time());
			if (call.applied() && current != null && current.getValue().given().epoch() > call.called().epoch()
					&& !ledger.faulty(FaultKind::forgets, "*", current.getKey() - FORGETS, call.ended())) {
				violations.accept(new Violation(Rule.FENCING,
						"Applied under an old epoch: %s after %s".formatted(call, current.getValue())));
			}
		}
	}

}
