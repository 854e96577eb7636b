package io.lowkiq;

import java.util.List;

/**
 * Payloads of a batch that one shard refused or did not confirm.
 *
 * @param shard the index of the shard, from 0 on
 * @param positions where the payloads are in the batch, from 0 on
 * @param problem why
 */
public record NotEnqueued(int shard, List<Integer> positions, StoreException problem) {

	public NotEnqueued {
		positions = List.copyOf(positions);
	}

}
