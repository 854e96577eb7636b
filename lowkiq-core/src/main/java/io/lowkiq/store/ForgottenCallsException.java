package io.lowkiq.store;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.Shard;

/**
 * Thrown when a shard has forgotten confirmed calls of an outbox. Nothing was enqueued.
 */
public class ForgottenCallsException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final long last;

	private final long token;

	public ForgottenCallsException(Shard shard, OutboxCall.Stamp last) {
		super("Redis has forgotten jobs of shard %s that it had confirmed".formatted(shard), null);
		this.last = last.number();
		this.token = last.token();
	}

	/**
	 * The last call that the shard remembers, or {@link OutboxCall.Stamp#NONE}: it has
	 * forgotten those with larger numbers, and one with its number and another token.
	 */
	public OutboxCall.Stamp last() {
		return new OutboxCall.Stamp(this.last, this.token);
	}

}
