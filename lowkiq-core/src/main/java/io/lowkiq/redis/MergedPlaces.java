package io.lowkiq.redis;

import java.util.Comparator;
import java.util.List;

/**
 * The places of several sources in one order.
 *
 * @param sources the sources, each in that order
 * @param descending whether the order is turned round
 */
record MergedPlaces(List<PlaceSource> sources, boolean descending) implements PlaceSource {

	@Override
	public List<JobPlace> first(int limit) {
		Comparator<JobPlace> order = this.descending ? JobPlace.ORDER.reversed() : JobPlace.ORDER;
		return this.sources.stream()
			.flatMap((source) -> source.first(limit).stream())
			.sorted(order)
			.limit(limit)
			.toList();
	}

}
