package io.lowkiq.redis;

import java.util.List;

import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;

/**
 * The jobs that an owner's last call was given, which are all that is busy in its shard.
 * When all of them are done, their number is enough to say so.
 *
 * @param epoch that of the lease
 * @param sequence the number of the call
 * @param ids the ids of the jobs, in the order in which they were given
 */
record LastFetch(long epoch, long sequence, List<String> ids) {

	/**
	 * Whether a call is the next one, and tells that all of these jobs, and no others,
	 * are done.
	 * @param lease the lease of the call
	 * @param number its sequence number
	 * @param outcomes what it tells
	 * @return true if it is
	 */
	boolean isAllDone(Lease lease, long number, List<Outcome> outcomes) {
		if (lease.epoch() != this.epoch || number != this.sequence + 1 || outcomes.size() != this.ids.size()) {
			return false;
		}
		for (int i = 0; i < outcomes.size(); i++) {
			if (!(outcomes.get(i) instanceof Outcome.Done done) || !done.id().equals(this.ids.get(i))) {
				return false;
			}
		}
		return true;
	}

}
