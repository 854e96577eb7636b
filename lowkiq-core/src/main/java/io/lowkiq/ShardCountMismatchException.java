package io.lowkiq;

/**
 * Thrown when an application declares a number of shards that differs from the one
 * recorded in the store. An id would belong to two shards, so nothing is written.
 */
public class ShardCountMismatchException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final String queue;

	private final int declared;

	private final int recorded;

	public ShardCountMismatchException(String queue, int declared, int recorded) {
		super(("Queue '%s' is declared with %d shards here, but recorded with %d in the store. "
				+ "An id would belong to two shards, so this application does not use the queue")
			.formatted(queue, declared, recorded));
		this.queue = queue;
		this.declared = declared;
		this.recorded = recorded;
	}

	/**
	 * The queue whose declaration differs.
	 * @return the queue's name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * The number of shards that this application declares.
	 * @return the declared number
	 */
	public int declared() {
		return this.declared;
	}

	/**
	 * The number of shards in the store.
	 * @return the recorded number
	 */
	public int recorded() {
		return this.recorded;
	}

}
