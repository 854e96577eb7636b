package io.lowkiq.store;

import java.util.List;

/** Payloads of a batch that one shard refused or did not confirm. */
public record NotEnqueued(Shard shard, List<Integer> positions, StoreException problem) {

	public NotEnqueued {
		positions = List.copyOf(positions);
	}

}
