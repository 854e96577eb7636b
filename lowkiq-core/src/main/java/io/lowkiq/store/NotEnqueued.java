package io.lowkiq.store;

import java.util.List;

/**
 * Payloads of a batch that one shard refused or did not confirm.
 *
 * @param shard the shard
 * @param positions the positions of the payloads in the batch, ascending; later payloads
 * of the shard are among them, so that those of an id keep their order
 * @param problem why. After an {@link UnconfirmedEnqueueException} or a
 * {@link StoreTimeoutException}, the payloads may be enqueued nevertheless
 */
public record NotEnqueued(Shard shard, List<Integer> positions, StoreException problem) {

	public NotEnqueued {
		positions = List.copyOf(positions);
	}

}
