package io.lowkiq.store.job;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The next follow-ups that wait in a shard.
 *
 * @param forgotten whether a failover let a target forget that it had enqueued some: they
 * were not removed, and none are returned, since they come first
 */
public record NextFollowUps(List<StoredFollowUp> followUps, List<Unreadable> unreadable, boolean forgotten) {

	/** A follow-up that can't be read; its queue is null if that can't be read either. */
	public record Unreadable(long number, @Nullable String queue) {
	}

	/** The largest number; 0 if there is none. */
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
