package io.lowkiq.redis;

import java.util.List;

import io.lowkiq.store.Outcome;

/**
 * Outcomes as {@code lib/outcomes.lua} reads them.
 */
final class PackedOutcomes {

	private static final int DONE = 0;

	private static final int RETURNED = 1;

	private static final int RETRY = 2;

	private static final int BURY = 3;

	private static final int REJECT = 4;

	private final PackedArgument packed = new PackedArgument();

	static byte[] pack(List<Outcome> outcomes) {
		PackedOutcomes packed = new PackedOutcomes();
		outcomes.forEach(packed::add);
		return packed.packed.toBytes();
	}

	private void add(Outcome outcome) {
		if (outcome instanceof Outcome.Done) {
			add(DONE, outcome);
		}
		else if (outcome instanceof Outcome.Returned) {
			add(RETURNED, outcome);
		}
		else if (outcome instanceof Outcome.Retry retry) {
			add(RETRY, outcome);
			addDetails(retry.delay(), retry.suspect(), retry.error(), List.of());
		}
		else if (outcome instanceof Outcome.Bury bury) {
			add(BURY, outcome);
			addDetails(0, false, bury.error(), List.of());
		}
		else if (outcome instanceof Outcome.Reject reject) {
			add(REJECT, outcome);
			addDetails(0, false, reject.error(), reject.payloads());
		}
	}

	private void add(int kind, Outcome outcome) {
		this.packed.putByte(kind).putBytes(IdBytes.encode(outcome.id()));
	}

	private void addDetails(long delay, boolean suspect, String error, List<Integer> places) {
		PackedArgument packedPlaces = new PackedArgument();
		places.forEach(packedPlaces::putInt);
		this.packed.putDouble((double) delay)
			.putByte(suspect ? 1 : 0)
			.putBytes(KeptError.encode(error))
			.putBytes(packedPlaces.toBytes());
	}

}
