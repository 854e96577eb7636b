package io.lowkiq.redis;

import java.util.List;

/**
 * Gives the places of jobs in an order, from the place on at which it was made to begin.
 */
interface PlaceSource {

	/**
	 * The first places of this source.
	 * @param limit the largest number of places
	 * @return the places in order; fewer than the limit only at the end
	 */
	List<JobPlace> first(int limit);

}
