package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The places of queued jobs: by performAt, among equals those in line first; or by
 * retryCount, the fresh ones of them by performAt.
 *
 * @param scripts runs the scripts
 * @param shard the shard
 * @param descending whether the order is turned round
 */
record QueuePlaces(ShardScripts scripts, Shard shard, boolean descending) {

	private static final int FRESH = -1;

	private static final int PLACES_OF_STEP = 500;

	/**
	 * The places by performAt.
	 * @param from the performAt at which to begin; null for the end of the order
	 * @param after the place after which to begin, in place of {@code from}
	 * @return the places
	 */
	PlaceSource byPerformAt(@Nullable Long from, @Nullable JobPlace after) {
		if (after == null) {
			return merged(line(from, null), from, null);
		}
		long time = (long) after.number();
		if (after.isInLine()) {
			return merged(line(null, after.line()), this.descending ? time - 1 : time, null);
		}
		return merged(line(this.descending ? time : time + 1, null), null, after);
	}

	private LinePlaces line(@Nullable Long from, @Nullable Long after) {
		return new LinePlaces(this.scripts, this.shard, this.descending, from, after);
	}

	private PlaceSource merged(LinePlaces line, @Nullable Long from, @Nullable JobPlace after) {
		return new MergedPlaces(List.of(line, set("later", from, after), set("suspects", from, after)),
				this.descending);
	}

	private SetPlaces set(String name, @Nullable Long from, @Nullable JobPlace after) {
		return new SetPlaces(this.scripts, this.shard, name, this.descending, from, after);
	}

	/**
	 * The places by retryCount.
	 * @param from the retryCount at which to begin; null for the end of the order
	 * @param after the place after which to begin, in place of {@code from}
	 * @return the places
	 */
	PlaceSource byRetryCount(@Nullable Long from, @Nullable JobPlace after) {
		boolean afterRetry = after != null && after.retry();
		boolean afterFresh = after != null && !after.retry();
		List<PlaceSource> parts = new ArrayList<>();
		if (this.descending) {
			if (!afterFresh) {
				parts.add(set("retries", from, after));
			}
			if (from == null || from >= FRESH) {
				parts.add((limit) -> fresh(afterFresh ? after : null, limit));
			}
		}
		else {
			if (!afterRetry && (from == null || from <= FRESH)) {
				parts.add((limit) -> fresh(after, limit));
			}
			parts.add(set("retries", afterFresh ? null : from, afterRetry ? after : null));
		}
		return (limit) -> inTurn(parts, limit);
	}

	private static List<JobPlace> inTurn(List<PlaceSource> parts, int limit) {
		List<JobPlace> places = new ArrayList<>();
		for (PlaceSource part : parts) {
			if (places.size() < limit) {
				places.addAll(part.first(limit - places.size()));
			}
		}
		return places;
	}

	private List<JobPlace> fresh(@Nullable JobPlace after, int limit) {
		List<JobPlace> fresh = new ArrayList<>();
		JobPlace last = after;
		while (true) {
			List<JobPlace> step = byPerformAt(null, last).first(PLACES_OF_STEP);
			step.stream().filter((place) -> !place.retry()).limit((long) limit - fresh.size()).forEach(fresh::add);
			if (fresh.size() >= limit || step.size() < PLACES_OF_STEP) {
				return fresh;
			}
			last = step.get(step.size() - 1);
		}
	}

}
