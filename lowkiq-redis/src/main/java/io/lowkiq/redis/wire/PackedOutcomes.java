package io.lowkiq.redis.wire;

import java.util.List;

import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.IdBytes;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.PackedBytes;

/** Outcomes as {@code lib/outcomes.lua} reads them. */
public final class PackedOutcomes {

	private static final int DONE = 0;

	private static final int RETURNED = 1;

	private static final int RETRY = 2;

	private static final int PART = 3;

	private static final int UNREADABLE = 4;

	private static final int FOLLOW_UP = 5;

	private final PackedBytes packed = new PackedBytes();

	public static byte[] pack(List<Outcome> outcomes) {
		PackedOutcomes packed = new PackedOutcomes();
		outcomes.forEach(packed::add);
		return packed.packed.toBytes();
	}

	private void add(Outcome outcome) {
		if (outcome instanceof Outcome.Done) {
			add(DONE, outcome);
		}
		else if (outcome instanceof Outcome.Returned returned) {
			add(RETURNED, returned);
			this.packed.putDouble((double) returned.delay());
		}
		else if (outcome instanceof Outcome.Retry retry) {
			addRetry(RETRY, retry, (double) retry.delay(), retry.suspect(), retry.failure());
		}
		else if (outcome instanceof Outcome.Hold hold) {
			addRetry(RETRY, hold, Double.POSITIVE_INFINITY, false, hold.failure());
		}
		else if (outcome instanceof Outcome.Unreadable unreadable) {
			addRetry(UNREADABLE, unreadable, (double) unreadable.delay(), false, unreadable.failure());
		}
		else if (outcome instanceof Outcome.FollowUp next) {
			add(FOLLOW_UP, next);
			this.packed.putDouble((double) next.number()).putBytes(next.followUp().toBytes());
		}
		else if (outcome instanceof Outcome.PartlyDone part) {
			add(PART, part);
			this.packed.putByte(part.failed() ? 1 : 0);
			add(part.failure());
			addPlaces(part.gone());
			addPlaces(part.dead());
		}
	}

	private void add(int kind, Outcome outcome) {
		this.packed.putByte(kind).putBytes(IdBytes.encode(outcome.id()));
	}

	private void addRetry(int kind, Outcome outcome, double delay, boolean suspect, Failure failure) {
		add(kind, outcome);
		this.packed.putDouble(delay).putByte(suspect ? 1 : 0);
		add(failure);
	}

	private void add(Failure failure) {
		this.packed.putBytes(Utf8.bytes(failure.text())).putBytes(PackedAttempts.pack(failure.attempts()));
	}

	private void addPlaces(List<Integer> places) {
		this.packed.putInt(Integer.BYTES * places.size());
		places.forEach(this.packed::putInt);
	}

}
