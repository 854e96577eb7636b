package io.lowkiq.engine.schedule;

import java.util.List;

import io.lowkiq.store.job.Shard;

/** Lets all living nodes share all shards of the queues they serve. */
public final class DefaultShardSplitter implements ShardSplitter {

	@Override
	public List<Shard> forNode(List<Shard> all) {
		return all;
	}

	@Override
	public boolean isShared() {
		return true;
	}

}
