package io.lowkiq.store;

import java.util.List;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.Shard;

/** Payloads of a batch that one shard refused or did not confirm. */
public record ShardRefusal(Shard shard, List<Integer> positions, StoreException problem) {

	public ShardRefusal {
		positions = List.copyOf(positions);
	}

}
