package io.lowkiq.reliability.check;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.reliability.history.Event.Handed;
import io.lowkiq.reliability.history.Event.PerformEnded;
import io.lowkiq.reliability.history.Event.PerformStarted;
import io.lowkiq.store.Shard;

/**
 * One perform of a job, put together from its events. Filled in by the {@link Ledger},
 * then only read.
 */
final class Perform {

	/**
	 * The order in which the store handed jobs over: a perform that a stalled owner
	 * begins late counts for its epoch.
	 */
	static final Comparator<Perform> HAND_OVER = Comparator.<Perform>comparingLong((perform) -> perform.epoch)
		.thenComparingLong((perform) -> perform.start);

	/**
	 * What the store answered when it was told the outcome.
	 */
	enum Settlement {

		/** Nothing, or nobody told it. */
		UNCERTAIN,

		/** The outcome was applied. */
		APPLIED,

		/** The owner was fenced, or the call was applied before. */
		REFUSED

	}

	final String process;

	final Shard shard;

	final String id;

	final long epoch;

	final int retryCount;

	final long start;

	final long[] payloads;

	final double[] scores;

	/**
	 * When the worker returned, or its process ended; {@link Long#MAX_VALUE} if never.
	 */
	long end = Long.MAX_VALUE;

	/** Whether the worker returned or threw. */
	boolean ended;

	boolean success;

	boolean leaseLost;

	Settlement settlement = Settlement.UNCERTAIN;

	Perform(String process, PerformStarted started) {
		this.process = process;
		this.shard = started.shard();
		this.id = started.id();
		this.epoch = started.epoch();
		this.retryCount = started.retryCount();
		this.start = started.time();
		List<Handed> handed = started.payloads();
		this.payloads = handed.stream().mapToLong(Handed::payload).toArray();
		this.scores = handed.stream().mapToDouble(Handed::score).toArray();
	}

	void end(PerformEnded event) {
		this.end = event.time();
		this.ended = true;
		this.success = event.success();
		this.leaseLost = event.leaseLost();
	}

	boolean failed() {
		return this.ended && !this.success;
	}

	boolean contains(long payload) {
		return Arrays.stream(this.payloads).anyMatch((own) -> own == payload);
	}

	@Override
	public String toString() {
		return "perform of %s/%s by %s, epoch %d, retryCount %d, from %d to %s, %s, %s, payloads %s".formatted(
				this.shard, this.id, this.process, this.epoch, this.retryCount, this.start,
				(this.end == Long.MAX_VALUE) ? "?" : this.end,
				this.ended ? (this.success ? "success" : "failure") : "cut off", this.settlement,
				Arrays.toString(this.payloads));
	}

}
