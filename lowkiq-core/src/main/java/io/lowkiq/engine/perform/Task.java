package io.lowkiq.engine.perform;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.lowkiq.store.Lease;
import io.lowkiq.store.job.FetchedJob;

/**
 * At least one fetched job of a shard, for one call of the worker. The performing thread
 * asks whether outcomes will be applied; fetched at a time of the monotonic clock.
 */
public record Task(ServedQueue queue, Lease lease, BooleanSupplier leaseValid, List<FetchedJob> jobs,
		Predicate<String> newerWaiting, long fetchedAt) {

	/** A task is equal to itself only. */
	@Override
	public boolean equals(Object other) {
		return this == other;
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this);
	}

}
