package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a newer version has written something in a way that this version must not
 * change: a shard, the record of a queue, or the tables of the outbox.
 */
public class NewerVersionException extends StoreException {

	private static final long serialVersionUID = 1L;

	private NewerVersionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/** The refusal of a shard. */
	public static NewerVersionException ofShard(String queue, int shard, Throwable cause) {
		return new NewerVersionException(
				"Shard %s of queue '%s' was written by a newer version of Lowkiq, and this version leaves it alone. See 'A shard of a newer version' in docs/operations.md"
					.formatted(shard, queue),
				cause);
	}

	/** The refusal of a queue's record. */
	public static NewerVersionException ofQueue(String queue, String recorded) {
		return new NewerVersionException(
				"The record of queue '%s' is '%s', which a newer version of Lowkiq has written. This version doesn't use the queue, and leaves the record as it is. Run the newer version"
					.formatted(queue, recorded),
				null);
	}

	/** The refusal of the tables of the outbox. */
	public static NewerVersionException ofOutbox(int format, int known) {
		return new NewerVersionException(
				"A newer version of Lowkiq has upgraded the tables of the outbox to format %s, and this version knows format %s: it writes jobs to lowkiq_outbox, and sends none. Run the newer version. See 'Tables of a newer version' in docs/transactions.md"
					.formatted(format, known),
				null);
	}

}
