package io.lowkiq.redis;

import java.util.List;

import io.lowkiq.store.Outcome;

/**
 * Outcomes as {@code lib/outcomes.lua} reads them.
 */
final class PackedOutcomes {

	private static final int DONE = 0;

	private static final int RETRY = 1;

	private static final int BURY = 2;

	private static final int REJECT = 3;

	private static final int ALL_DONE = 4;

	private static final int ALL_DONE_BYTES = 5;

	private final PackedArgument packed = new PackedArgument();

	static byte[] pack(List<Outcome> outcomes) {
		PackedOutcomes packed = new PackedOutcomes();
		outcomes.forEach(packed::add);
		return packed.packed.toBytes();
	}

	/**
	 * Tells that all that is busy is done.
	 * @param jobs how many jobs that are
	 * @return the packed outcomes
	 */
	static byte[] allDone(int jobs) {
		return new PackedArgument(ALL_DONE_BYTES).putByte(ALL_DONE).putInt(jobs).toBytes();
	}

	private void add(Outcome outcome) {
		if (outcome instanceof Outcome.Retry retry) {
			add(RETRY, retry, retry.delay(), retry.error(), List.of());
		}
		else if (outcome instanceof Outcome.Bury bury) {
			add(BURY, bury, 0, bury.error(), List.of());
		}
		else if (outcome instanceof Outcome.Reject reject) {
			add(REJECT, reject, 0, reject.error(), reject.payloads());
		}
		else {
			this.packed.putByte(DONE).putBytes(IdBytes.encode(outcome.id()));
		}
	}

	private void add(int kind, Outcome outcome, long delay, String error, List<Integer> places) {
		PackedArgument packedPlaces = new PackedArgument();
		places.forEach(packedPlaces::putInt);
		this.packed.putByte(kind)
			.putBytes(IdBytes.encode(outcome.id()))
			.putDouble((double) delay)
			.putBytes(KeptError.encode(error))
			.putBytes(packedPlaces.toBytes());
	}

}
