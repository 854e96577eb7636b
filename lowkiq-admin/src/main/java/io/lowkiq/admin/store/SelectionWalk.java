package io.lowkiq.admin.store;

import java.util.List;

import io.lowkiq.redis.ShardInspection;
import io.lowkiq.store.inspection.ErrorKind;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the jobs of a selection, shard by shard, in steps that cost the store a
 * few milliseconds each. Keeps nothing between two steps. Immutable.
 */
public final class SelectionWalk {

	private final ShardInspection inspection;

	private final List<Shard> shards;

	private final JobSelection selection;

	private final boolean descending;

	private final int payloads;

	private final int errorBytes;

	/** Ascending shards, not that of the selection. It may need more bytes of errors. */
	public SelectionWalk(ShardInspection inspection, List<Shard> shards, JobSelection selection, boolean descending,
			int payloads, int errorBytes) {
		this.inspection = inspection;
		this.shards = List.copyOf(shards);
		this.selection = selection;
		this.descending = descending;
		this.payloads = payloads;
		this.errorBytes = (selection.error() != null) ? Math.max(errorBytes, ErrorKind.ENOUGH_BYTES) : errorBytes;
	}

	/** The place of the first shard. */
	public Place start() {
		return new Place(0, null);
	}

	/**
	 * Looks at some jobs; in the lists without an order, with one limit for all steps.
	 * @throws io.lowkiq.InvalidJobException if the place is not one of this walk
	 */
	public Step step(Place place, int limit) {
		Shard shard = null;
		for (int i = 0; i < this.shards.size() && shard == null; i++) {
			shard = (this.shards.get(i).index() >= place.shard()) ? this.shards.get(i) : null;
		}
		if (shard == null) {
			return new Step(List.of(), 0, null);
		}
		String after = (shard.index() == place.shard()) ? place.after() : null;
		JobPage page = this.inspection.list(shard, new JobQuery(this.selection.list(), this.descending,
				this.selection.prefix(), after, limit, this.payloads, this.errorBytes));
		List<JobView> matching = page.jobs().stream().filter(this.selection::matches).toList();
		boolean isLast = shard.equals(this.shards.get(this.shards.size() - 1));
		Place next = (page.next() != null) ? new Place(shard.index(), page.next())
				: isLast ? null : new Place(shard.index() + 1, null);
		return new Step(matching, page.jobs().size(), next);
	}

	/**
	 * How far a walk is.
	 *
	 * @param shard the index of the shard, or of one before it if that has no such jobs
	 * @param after the shard's token; null at its beginning
	 */
	public record Place(int shard, @Nullable String after) {
	}

	/** The matching jobs, and how many were read for them; next is null at the end. */
	public record Step(List<JobView> jobs, int read, @Nullable Place next) {
	}

}
