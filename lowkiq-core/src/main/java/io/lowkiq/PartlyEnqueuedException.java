package io.lowkiq;

import java.util.List;

/**
 * Thrown when some payloads of a batch are enqueued and others are not, because their
 * shards refused them or didn't respond, or because a later part of a large batch failed.
 * The cause is the problem of the first of these shards, or of that part. Enqueueing the
 * others again is enough; enqueueing all again loses nothing, but what was performed
 * meanwhile is performed again.
 */
public class PartlyEnqueuedException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final String queue;

	private final int payloads;

	private final transient List<NotEnqueued> notEnqueued;

	/**
	 * A batch that is partly enqueued.
	 * @param notEnqueued those that are not enqueued, or not certainly, at least one
	 */
	public PartlyEnqueuedException(String queue, int payloads, List<NotEnqueued> notEnqueued) {
		super("%s of %s payloads for queue '%s' are not enqueued, those of %s shard(s); the others are: %s".formatted(
				notEnqueued.stream().mapToInt((some) -> some.positions().size()).sum(), payloads, queue,
				notEnqueued.size(), notEnqueued.get(0).problem().getMessage()), notEnqueued.get(0).problem());
		this.queue = queue;
		this.payloads = payloads;
		this.notEnqueued = List.copyOf(notEnqueued);
	}

	/**
	 * A batch whose first parts are enqueued, and of whose next part nothing is certain
	 * to be.
	 */
	public PartlyEnqueuedException(String queue, int payloads, RuntimeException problem) {
		super("The first %s payloads for queue '%s' are enqueued; later ones may not be: %s".formatted(payloads, queue,
				problem.getMessage()), problem);
		this.queue = queue;
		this.payloads = payloads;
		this.notEnqueued = List.of();
	}

	/**
	 * The same for a larger batch, if this was a later part. If this names no positions,
	 * it only causes the failure of that part.
	 */
	public PartlyEnqueuedException after(int before) {
		if (this.notEnqueued.isEmpty()) {
			return new PartlyEnqueuedException(this.queue, before, this);
		}
		PartlyEnqueuedException whole = new PartlyEnqueuedException(this.queue, before + this.payloads,
				this.notEnqueued.stream()
					.map((some) -> new NotEnqueued(some.shard(),
							some.positions().stream().map((position) -> before + position).toList(), some.problem()))
					.toList());
		whole.setStackTrace(getStackTrace());
		return whole;
	}

	/** The queue of the payloads. */
	public String queue() {
		return this.queue;
	}

	/**
	 * The number of payloads whose outcome is known. All of them are enqueued but the
	 * {@linkplain #notEnqueued() named ones}; in a transaction, they take effect with its
	 * commit. Later ones of a large batch may not be enqueued. If interceptors have
	 * changed what the caller enqueued, positions are those of the batch that they made.
	 * @return 1 or more
	 */
	public int payloads() {
		return this.payloads;
	}

	/**
	 * The payloads among the first {@link #payloads()} that are not enqueued, or not
	 * certainly, by shard.
	 * @return empty if a later part failed as a whole: its payloads may be enqueued or
	 * not, and those after it are not
	 */
	public List<NotEnqueued> notEnqueued() {
		return this.notEnqueued;
	}

}
