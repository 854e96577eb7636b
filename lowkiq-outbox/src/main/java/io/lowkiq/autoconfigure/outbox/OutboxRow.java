package io.lowkiq.autoconfigure.outbox;

import io.lowkiq.store.job.NewPayload;

/** A row of the outbox, written at milliseconds since 1970 by the database. */
record OutboxRow(long sequence, String queue, NewPayload payload, long createdAt) {

	/**
	 * Without a score of its own it gets the sequence, also if it is sent again. A delay
	 * has been running since it was enqueued, now is the time of the database.
	 */
	NewPayload toSend(long now) {
		double score = (this.payload.score() != null) ? this.payload.score() : this.sequence;
		long left = Math.max(0, this.payload.delay() - Math.max(0, now - this.createdAt));
		return new NewPayload(this.payload.id(), this.payload.payload(), score, this.payload.performAt(), left)
			.followedBy(this.payload.next());
	}

}
