package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.store.Shard;

/**
 * Deals the shards out in turn: A0 B0 B3 D1 / A1 B1 C0 / A2 B2 D0 for three threads and
 * the queues A with 3 shards, B with 4, C with 1 and D with 2. So the shards of one queue
 * lie with as many threads as possible.
 */
public final class DefaultShardSplitter implements ShardSplitter {

	@Override
	public List<List<Shard>> split(List<Shard> shards, int threads) {
		return deal(shards, threads);
	}

	static List<List<Shard>> deal(List<Shard> shards, int hands) {
		List<List<Shard>> dealt = Stream.<List<Shard>>generate(ArrayList::new).limit(hands).toList();
		for (int i = 0; i < shards.size(); i++) {
			dealt.get(i % hands).add(shards.get(i));
		}
		return dealt;
	}

}
