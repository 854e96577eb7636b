package io.lowkiq.reliability.check;

import io.lowkiq.reliability.history.Event.EnqueueCalled;

/**
 * What is known of one payload's way into the store. Filled in by the {@link Ledger},
 * then only read.
 */
final class Enqueued {

	final String process;

	final String queue;

	final String id;

	final long payload;

	final boolean defaultScore;

	/** Just before the first attempt. */
	final long called;

	int attempts;

	/** Just after the attempt that returned; {@link Long#MAX_VALUE} if none did. */
	long returned = Long.MAX_VALUE;

	Enqueued(String process, EnqueueCalled event) {
		this.process = process;
		this.queue = event.queue();
		this.id = event.id();
		this.payload = event.payload();
		this.defaultScore = event.defaultScore();
		this.called = event.time();
	}

	boolean acknowledged() {
		return this.returned != Long.MAX_VALUE;
	}

	@Override
	public String toString() {
		return "payload %d of %s/%s, enqueued by %s from %d to %s in %d attempts".formatted(this.payload, this.queue,
				this.id, this.process, this.called, acknowledged() ? this.returned : "?", this.attempts);
	}

}
