package io.lowkiq.reliability.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.store.job.Shard;

/**
 * How long the shards of a node that died or stood still were without an owner.
 *
 * @param fault what happened to the node
 * @param shards how many shards it owned
 * @param nanos until the last of them had a new owner; {@link Long#MAX_VALUE} if one
 * never had
 * @param clean whether no other fault came in between
 */
record Recovery(Fault fault, int shards, long nanos, boolean clean) {

	private static final long SPAN = 60_000_000_000L;

	/** The recoveries from all kills and stops. */
	static List<Recovery> all(Ledger ledger) {
		return ledger.faults.stream()
			.filter((fault) -> fault.kind() == FaultKind.KILL || fault.kind() == FaultKind.POISON
					|| fault.kind() == FaultKind.STOP)
			.map((fault) -> of(fault, ledger))
			.filter((recovery) -> recovery.shards() > 0)
			.toList();
	}

	private static Recovery of(Fault fault, Ledger ledger) {
		int shards = 0;
		long until = fault.begun();
		for (Map.Entry<Shard, List<Ledger.Lease>> entry : ledger.leases.entrySet()) {
			List<Ledger.Lease> leases = entry.getValue();
			Optional<Ledger.Lease> held = leases.stream()
				.filter((lease) -> lease.given().time() <= fault.begun())
				.reduce((known, next) -> isNewer(next, known, ledger) ? next : known);
			if (held.isEmpty() || !held.get().process().equals(fault.process())
					|| released(held.get(), fault.begun(), ledger)) {
				continue;
			}
			shards++;
			// By time: after a failover that forgot its lease, the next epoch may be
			// smaller
			until = Math.max(until,
					leases.stream()
						.mapToLong((lease) -> lease.given().time())
						.filter((time) -> time > fault.begun())
						.min()
						.orElse(Long.MAX_VALUE));
		}
		long end = (until == Long.MAX_VALUE) ? fault.begun() + SPAN : until;
		boolean clean = ledger.faults.stream()
			.noneMatch((other) -> !other.equals(fault) && other.touches(fault.begun(), end));
		return new Recovery(fault, shards, (until == Long.MAX_VALUE) ? until : until - fault.begun(), clean);
	}

	/**
	 * Whether the second of two leases in the order of their answers, which may come
	 * late, is the newer one. After a failover that forgot the first, its epoch may be
	 * smaller.
	 */
	private static boolean isNewer(Ledger.Lease second, Ledger.Lease first, Ledger ledger) {
		return second.given().epoch() > first.given().epoch()
				|| ledger.faulty(FaultKind::forgets, "*", first.given().time(), second.given().time());
	}

	private static boolean released(Ledger.Lease lease, long before, Ledger ledger) {
		List<Ledger.Call> calls = new ArrayList<>(ledger.calls.getOrDefault(lease.given().shard(), List.of()));
		return calls.stream()
			.anyMatch((call) -> call.called().release() && call.applied()
					&& call.called().epoch() == lease.given().epoch() && call.called().time() <= before);
	}

}
