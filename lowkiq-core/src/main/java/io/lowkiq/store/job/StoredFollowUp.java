package io.lowkiq.store.job;

/** A follow-up that waits in the shard of the job whose completion has caused it. */
public record StoredFollowUp(Origin origin, FollowUp followUp) {

	/** Its number, which grows within the shard. */
	public long number() {
		return this.origin.number();
	}

}
