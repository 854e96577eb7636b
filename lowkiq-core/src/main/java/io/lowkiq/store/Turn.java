package io.lowkiq.store;

import java.util.List;

/**
 * The store's answer to {@link ShardStore#turn}.
 */
public sealed interface Turn {

	/**
	 * The outcomes were applied and these jobs are busy now.
	 *
	 * @param jobs the fetched jobs in the order of performAt; may be empty
	 * @param next the performAt of the next job that is queued and could be fetched, in
	 * milliseconds since 1970; {@link #NOTHING} if there is none or the queue is paused
	 * @param nextSuspect the performAt of the next job that only a fetch with
	 * {@link Fetch#suspects()} takes; {@link #NOTHING} if there is none or the queue is
	 * paused
	 * @param now the store's time, in milliseconds since 1970; where jobs were fetched
	 * and none is to come later, it may be an older one, when all of them were due
	 * @param buried the number of payloads that went to the morgue
	 */
	record Applied(List<FetchedJob> jobs, long next, long nextSuspect, long now, int buried) implements Turn {
	}

	/**
	 * Nothing was changed: the shard has another owner or a later epoch (I6).
	 */
	record Fenced() implements Turn {
	}

	/**
	 * Nothing was changed: the sequence number is not the next one. Either a call with
	 * this number was applied before, and its answer is lost; or the storage has lost an
	 * earlier call, in a failover. What is busy is not what the owner thinks, so it
	 * acquires anew.
	 */
	record OutOfStep() implements Turn {
	}

	/**
	 * Nothing was changed: a push has handed a job over while this call was on its way.
	 * It is the same that {@link WakeUps.Listener#handOver} is told.
	 *
	 * @param handOver what was handed over
	 */
	record HandedOver(HandOver handOver) implements Turn {
	}

	/** Stands for "no job is queued". */
	long NOTHING = Long.MAX_VALUE;

}
