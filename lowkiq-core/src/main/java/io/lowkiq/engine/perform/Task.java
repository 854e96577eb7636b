package io.lowkiq.engine.perform;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;

/**
 * Fetched jobs of one shard that are performed by one call of their worker.
 *
 * @param leaseValid whether the outcomes of the jobs will be applied, as far as is known;
 * asked by the performing thread
 * @param jobs the jobs, at least one
 * @param fetchedAt when the jobs were fetched, by the monotonic clock
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
