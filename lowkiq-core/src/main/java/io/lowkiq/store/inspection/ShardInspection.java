package io.lowkiq.store.inspection;

import io.lowkiq.StoreException;
import io.lowkiq.store.StoredFollowUp;

import io.lowkiq.store.Shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The read side of a shard, for people. Thread-safe. A look-up costs the store no more
 * than a few milliseconds at a time, however long the queue is; one with a prefix goes
 * through the list in steps. Every method throws {@link StoreException} when the store
 * can't be reached.
 */
public interface ShardInspection {

	ShardCounts counts(Shard shard);

	/**
	 * Counts the jobs of many shards: one call a shard, several at a time where the store
	 * can.
	 */
	default List<ShardCounts> counts(List<Shard> shards) {
		return shards.stream().map(this::counts).toList();
	}

	/** Looks a job up. */
	Optional<JobView> find(Shard shard, JobView.State state, String id, int payloads);

	/**
	 * Lists jobs.
	 * @throws io.lowkiq.InvalidJobException if {@link JobQuery#after()} is no token
	 */
	JobPage list(Shard shard, JobQuery query);

	/** Lists all jobs of a list, page by page. */
	default List<JobView> listAll(Shard shard, JobQuery query) {
		JobPage page = list(shard, query);
		List<JobView> all = new ArrayList<>(page.jobs());
		for (String next = page.next(); next != null; next = page.next()) {
			page = list(shard, query.after(next));
			all.addAll(page.jobs());
		}
		return all;
	}

	/**
	 * Lists the follow-ups that wait in a shard.
	 * @param after those with larger numbers are returned; 0 for all
	 * @return the follow-ups, in the order of their numbers. One that can't be read has a
	 * queue without a name
	 * @throws StoreException if the store can't be reached
	 */
	List<StoredFollowUp> followUps(Shard shard, long after, int limit);

	/**
	 * Lists the groups of shards that have the most ready jobs: one call a shard, several
	 * at a time where the store can. Looks at no more than 1,000 groups of a shard, and
	 * 1,000 jobs that were not given to their groups yet.
	 * @param separator what separates the group of an id from the rest; empty if it isn't
	 * known, so that only the jobs that were given to their groups count
	 */
	ShardGroups groups(List<Shard> shards, String separator, int most);

	/** Looks a group up in shards, as {@link #groups} does. */
	List<ShardGroup> group(List<Shard> shards, String separator, String name);

}
