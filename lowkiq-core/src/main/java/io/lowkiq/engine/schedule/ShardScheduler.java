package io.lowkiq.engine.schedule;

import java.util.List;

import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** Picks the due shard to fetch from next, when a thread of the node is free. */
@FunctionalInterface
public interface ShardScheduler {

	/**
	 * Picks a shard.
	 * @param last the one picked last; null at the beginning
	 */
	Candidate choose(List<Candidate> due, @Nullable Shard last);

	/** A shard, and its oldest known performAt, in milliseconds since 1970. */
	record Candidate(Shard shard, long oldest) {
	}

}
