package io.lowkiq.engine;

import java.util.List;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Picks the next shard of a thread out of those with due jobs. Implementations are
 * thread-safe.
 */
@FunctionalInterface
public interface ShardScheduler {

	/**
	 * Picks a shard.
	 * @param due the shards with due jobs in the order of the splitter, never empty
	 * @param last the shard that the thread picked last; null at the beginning
	 * @return one of {@code due}
	 */
	Candidate choose(List<Candidate> due, @Nullable Shard last);

	/**
	 * A shard with due jobs.
	 *
	 * @param shard the shard
	 * @param oldest the performAt of its oldest due job, in milliseconds since 1970, as
	 * far as the node knows
	 */
	record Candidate(Shard shard, long oldest) {
	}

}
