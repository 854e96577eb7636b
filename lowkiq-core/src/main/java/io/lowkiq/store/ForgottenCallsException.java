package io.lowkiq.store;

import io.lowkiq.StoreException;

/**
 * Thrown when a shard has forgotten calls of an outbox that it had confirmed. Nothing was
 * enqueued.
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
	 * The last call that the shard remembers. It has forgotten all with larger numbers,
	 * and one with its number and another token, and no other.
	 * @return the call; {@link OutboxCall.Stamp#NONE} if it remembers none
	 */
	public OutboxCall.Stamp last() {
		return new OutboxCall.Stamp(this.last, this.token);
	}

}
