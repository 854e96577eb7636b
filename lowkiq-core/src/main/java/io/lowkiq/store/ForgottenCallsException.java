package io.lowkiq.store;

/**
 * Thrown when a shard has forgotten calls of an outbox that it had confirmed. Nothing was
 * enqueued.
 */
public class ForgottenCallsException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final long last;

	/**
	 * A refusal.
	 * @param shard the shard
	 * @param last the number of the last call that it remembers; 0 if it remembers none
	 */
	public ForgottenCallsException(Shard shard, long last) {
		super("Redis has forgotten jobs of shard %s that it had confirmed".formatted(shard), null);
		this.last = last;
	}

	/**
	 * The number of the last call that the shard remembers. It has forgotten all with
	 * larger numbers, and no other.
	 * @return the number; 0 if it remembers none
	 */
	public long last() {
		return this.last;
	}

}
