package io.lowkiq.dashboard.jobs;

import java.util.List;

import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** Goes through a list of one shard. Used by one thread. */
final class ShardWalk {

	private final QueueWalk.Lister lister;

	private final Shard shard;

	private PageToken.Place place = PageToken.Place.START;

	/** The jobs behind the place, without payloads; null if not known. */
	private @Nullable JobPage ahead;

	ShardWalk(QueueWalk.Lister lister, Shard shard) {
		this.lister = lister;
		this.shard = shard;
	}

	Shard shard() {
		return this.shard;
	}

	PageToken.Place place() {
		return this.place;
	}

	void resume(PageToken.Place at) {
		this.place = at;
	}

	/**
	 * The jobs that follow, without payloads.
	 * @return the jobs; none if the shard is through, or if the store has only searched a
	 * part of it, and found none
	 */
	List<JobView> ahead(int limit) {
		if (this.ahead == null && !this.place.ended()) {
			JobPage page = this.lister.list(this, limit, 0);
			if (page.jobs().isEmpty()) {
				this.place = PageToken.Place.after(page.next());
			}
			else {
				this.ahead = page;
			}
		}
		return (this.ahead != null) ? this.ahead.jobs() : List.of();
	}

	int aheadSize() {
		return (this.ahead != null) ? this.ahead.jobs().size() : 0;
	}

	boolean hasMoreThanAhead() {
		return this.ahead != null && this.ahead.next() != null;
	}

	/**
	 * Takes a page of jobs, and moves on behind them, unless it has too many.
	 * @return the jobs; null if there are more than the room
	 */
	@Nullable List<JobView> takePage(int limit, int room, int payloads) {
		JobPage page = this.lister.list(this, limit, payloads);
		if (page.jobs().size() > room) {
			return null;
		}
		this.place = PageToken.Place.after(page.next());
		return page.jobs();
	}

	/**
	 * Takes jobs, and moves on behind them.
	 * @return the jobs; other ones, or fewer, if they changed meanwhile
	 */
	List<JobView> take(int count, int payloads) {
		JobPage page = this.lister.list(this, count, payloads);
		this.place = PageToken.Place.after(page.next());
		this.ahead = null;
		return page.jobs();
	}

}
