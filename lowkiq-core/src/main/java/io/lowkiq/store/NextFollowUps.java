package io.lowkiq.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The next follow-ups that wait in a shard.
 *
 * @param forgotten whether a target has forgotten that it had enqueued some, which only a
 * failover lets it: those were not removed, and none are returned, since they come first
 */
public record NextFollowUps(List<StoredFollowUp> followUps, List<Unreadable> unreadable, boolean forgotten) {

	/**
	 * A follow-up that can't be read: a newer version has written it, or somebody has
	 * changed it by hand.
	 *
	 * @param queue the queue that it goes into; null if that can't be read
	 */
	public record Unreadable(long number, @Nullable String queue) {
	}

	/**
	 * The number of the last one.
	 * @return the largest number; 0 if there is none
	 */
	public long lastNumber() {
		long readable = this.followUps.isEmpty() ? 0 : this.followUps.get(this.followUps.size() - 1).number();
		return this.unreadable.isEmpty() ? readable
				: Math.max(readable, this.unreadable.get(this.unreadable.size() - 1).number());
	}

	/** Whether no more follow-ups wait. */
	public boolean isEmpty() {
		return this.followUps.isEmpty() && this.unreadable.isEmpty();
	}

}
