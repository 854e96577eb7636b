package io.lowkiq.dashboard.jobs;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * Looks up jobs of a whole queue, whose shards each know only their own. Thread-safe.
 */
public final class QueueInspection {

	private final ShardInspection inspection;

	/**
	 * Creates an inspection.
	 * @param inspection looks into one shard
	 */
	public QueueInspection(ShardInspection inspection) {
		this.inspection = inspection;
	}

	/**
	 * Lists the jobs of a queue. Lists with an order are merged, of up to
	 * {@value QueueWalk#MAX_MERGED} shards at a time; the others come shard by shard. As
	 * in the store, a page may be short, even empty, though more follow.
	 * @param queue the queue
	 * @param query which jobs; its token is that of a page of this method
	 * @param only the index of the one shard to look at; null for all
	 * @return a page; its token is good for this method only
	 */
	public JobPage list(QueueLayout queue, JobQuery query, @Nullable Integer only) {
		int end = (only != null) ? only + 1 : queue.shards();
		return new QueueWalk(this.inspection, queue, query, end).page((only != null) ? only : 0);
	}

}
