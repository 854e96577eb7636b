package io.lowkiq.engine;

import java.util.Collections;
import java.util.List;

import io.lowkiq.store.Shard;

/**
 * Gives every shard to every thread, so that whichever thread is free takes the shard
 * that its scheduler finds the neediest.
 */
public final class AdaptiveShardSplitter implements ShardSplitter {

	@Override
	public List<List<Shard>> split(List<Shard> shards, int threads) {
		return Collections.nCopies(threads, shards);
	}

}
