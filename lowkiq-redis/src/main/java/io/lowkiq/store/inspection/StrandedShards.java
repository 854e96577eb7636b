package io.lowkiq.store.inspection;

import java.util.List;
import java.util.Locale;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;

/**
 * Shards of one generation with jobs that nobody performs: the record of their queue
 * comes from a backup, and names an earlier generation.
 *
 * @param recorded what the record says
 * @param shards those with jobs
 * @param correction what would have to be recorded, and where
 */
public record StrandedShards(QueueLayout recorded, List<Shard> shards, long jobs, String correction) {

	public StrandedShards {
		shards = List.copyOf(shards);
	}

	public int generation() {
		return this.shards.get(0).generation();
	}

	/** For people. */
	public String sentence() {
		return String.format(Locale.ROOT, "Queue %s: nobody performs its %,d %s in %,d %s of generation %d. %s.",
				this.recorded.name(), this.jobs, (this.jobs == 1) ? "job" : "jobs", this.shards.size(),
				(this.shards.size() == 1) ? "shard" : "shards", generation(), advice());
	}

	/** Does not change with the number of jobs. */
	public String advice() {
		return "Its record in Redis has gone back to generation %s. When its other jobs are done, %s, and restart all applications"
			.formatted(this.recorded.generation(), this.correction);
	}

}
