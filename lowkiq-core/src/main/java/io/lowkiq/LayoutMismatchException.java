package io.lowkiq;

/**
 * Thrown when an application declares a queue with another layout than the store has,
 * such as another number of shards. An id would belong to two shards, so nothing is
 * written.
 */
public class LayoutMismatchException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final String queue;

	private final String advice;

	public LayoutMismatchException(QueueDeclaration declared, QueueDeclaration recorded) {
		super(("Queue '%s' is declared with %s here, but recorded with %s in the store. "
				+ "An id would belong to two shards, so this application does not use the queue")
			.formatted(declared.queue(), declared, recorded));
		this.queue = declared.queue();
		this.advice = ("Set %s, or the attributes of its @LowkiqWorker; lowkiq.queues.%s.* where this application only "
				+ "enqueues. For the other layout, use a queue with another name, and drain this one first")
			.formatted(recorded.settings(), this.queue);
	}

	/**
	 * The queue whose declaration differs.
	 * @return the queue's name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * The properties to set.
	 * @return sentences without the last full stop
	 */
	public String advice() {
		return this.advice;
	}

}
