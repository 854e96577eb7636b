package io.lowkiq.engine.schedule;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.lowkiq.store.Shard;

/**
 * Picks the shards one after the other: the first due one after the one picked last, by
 * queue and index.
 */
public final class SeqShardScheduler implements ShardScheduler {

	@Override
	public Candidate choose(List<Candidate> due, @Nullable Shard last) {
		Candidate first = due.get(0);
		Candidate following = null;
		for (Candidate candidate : due) {
			if (candidate.shard().compareTo(first.shard()) < 0) {
				first = candidate;
			}
			if (last != null && candidate.shard().compareTo(last) > 0
					&& (following == null || candidate.shard().compareTo(following.shard()) < 0)) {
				following = candidate;
			}
		}
		return (following != null) ? following : first;
	}

}
