package io.lowkiq.reliability.check;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.reliability.history.Event.PerformEnded;
import io.lowkiq.reliability.history.Event.PerformStarted;
import io.lowkiq.reliability.history.Event.Scored;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * A run of a job, put together from its events. Filled in by the {@link Ledger}, then
 * only read.
 */
final class Perform {

	/**
	 * The order in which jobs were fetched, whenever a stalled owner begins them. Not
	 * that of the epochs: after a failover to a slower clock, one may be smaller than one
	 * that was forgotten.
	 */
	static final Comparator<Perform> FETCHED = Comparator.<Perform>comparingLong((perform) -> perform.fetched)
		.thenComparingLong((perform) -> perform.start);

	final String process;

	final Shard shard;

	final String id;

	final long epoch;

	final int retryCount;

	/** Just before the call that fetched it. */
	final long fetched;

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

	/** Payloads done or discarded, where it went payload by payload. */
	private List<Long> handled = List.of();

	/** Payloads to enqueue with its outcome. */
	private List<Long> followUps = List.of();

	/** Payloads sent to the morgue by what the worker threw. */
	private List<Long> buried = List.of();

	/** The last call that sent its outcome; null if none did. */
	Ledger.@Nullable Call completion;

	Perform(String process, PerformStarted started, long fetched) {
		this.process = process;
		this.shard = started.shard();
		this.id = started.id();
		this.epoch = started.epoch();
		this.retryCount = started.retryCount();
		this.start = started.time();
		this.fetched = fetched;
		List<Scored> given = started.payloads();
		this.payloads = given.stream().mapToLong(Scored::payload).toArray();
		this.scores = given.stream().mapToDouble(Scored::score).toArray();
	}

	void end(PerformEnded event) {
		this.end = event.time();
		this.ended = true;
		this.success = event.success();
		this.leaseLost = event.leaseLost();
		this.handled = event.handled();
		this.buried = event.buried();
		this.followUps = event.followUps();
	}

	/** Whether a payload was done or discarded. */
	boolean handles(long payload) {
		return (this.success || this.handled.contains(payload)) && !buries(payload);
	}

	boolean buries(long payload) {
		return this.buried.contains(payload);
	}

	/** Whether its worker enqueued a payload on a success that came. */
	boolean isFollowedBy(long payload) {
		return this.followUps.contains(payload);
	}

	/** Whether a payload is not to be performed again. */
	boolean leaves(long payload) {
		return handles(payload) || buries(payload);
	}

	/** Whether its first payload used up the last retry. */
	boolean usesUpRetries(int maxRetryCount) {
		return failed() && !leaves(this.payloads[0]) && this.retryCount + 1 >= maxRetryCount;
	}

	/** Whether the store surely has its outcome. */
	boolean completed() {
		Ledger.Call call = this.completion;
		return call != null && call.applied();
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
				this.ended ? (this.success ? "success" : "failure") : "cut off", this.completion,
				Arrays.toString(this.payloads));
	}

}
