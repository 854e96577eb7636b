package io.lowkiq.store;

import java.util.List;

/**
 * Thrown when some payloads of a batch are enqueued and others are not, because their
 * shards refused them or didn't respond. The cause is the problem of the first of these
 * shards. Enqueueing the others again is enough; enqueueing all again loses nothing, but
 * what was performed meanwhile is performed again.
 */
public class PartlyEnqueuedException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final int payloads;

	private final transient List<NotEnqueued> notEnqueued;

	/**
	 * A batch that is partly enqueued.
	 * @param queue the queue's name
	 * @param payloads the number of payloads of the batch
	 * @param notEnqueued those that are not enqueued, or not certainly, at least one
	 */
	public PartlyEnqueuedException(String queue, int payloads, List<NotEnqueued> notEnqueued) {
		super("%d of %d payloads for queue '%s' are not enqueued, those of %d shard(s); the others are: %s".formatted(
				notEnqueued.stream().mapToInt((some) -> some.positions().size()).sum(), payloads, queue,
				notEnqueued.size(), notEnqueued.get(0).problem().getMessage()), notEnqueued.get(0).problem());
		this.payloads = payloads;
		this.notEnqueued = List.copyOf(notEnqueued);
	}

	/**
	 * The number of payloads of the batch. If interceptors have changed what the caller
	 * enqueued, positions are those of the batch that they made.
	 * @return 2 or more
	 */
	public int payloads() {
		return this.payloads;
	}

	/**
	 * The payloads that are not enqueued, by shard.
	 * @return at least one
	 */
	public List<NotEnqueued> notEnqueued() {
		return this.notEnqueued;
	}

}
