package io.lowkiq.redis;

import java.util.Comparator;
import java.util.List;

import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The places of busy jobs by performAt. They are few: the batch of one thread.
 *
 * @param views brings the jobs
 * @param ids all ids of busy jobs
 * @param shard the shard
 * @param descending whether the order is turned round
 * @param from the performAt at which to begin; null for the end of the order
 * @param after the place after which to begin
 */
record BusyPlaces(JobViews views, PlaceSource ids, Shard shard, boolean descending, @Nullable Long from,
		@Nullable JobPlace after) implements PlaceSource {

	@Override
	public List<JobPlace> first(int limit) {
		Comparator<JobPlace> order = this.descending ? JobPlace.ORDER.reversed() : JobPlace.ORDER;
		List<byte[]> all = this.ids.first(Integer.MAX_VALUE).stream().map(JobPlace::id).toList();
		return this.views.of(this.shard, JobView.State.BUSY, all, 0)
			.stream()
			.map((job) -> new JobPlace(job.performAt(), JobPlace.NOT_IN_LINE, IdBytes.encode(job.id()), false))
			.filter((place) -> this.from == null
					|| (this.descending ? place.number() <= this.from : place.number() >= this.from))
			.filter((place) -> this.after == null || order.compare(place, this.after) > 0)
			.sorted(order)
			.limit(limit)
			.toList();
	}

}
