package io.lowkiq.redis;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.RedisProblem;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.store.job.Shard;

/**
 * Calls of scripts that also look at what other shards remember of follow-ups. A cluster
 * refuses them, since the shards are in several slots: from then on, the scripts see
 * their own shard only. Thread-safe.
 */
final class CrossShardCalls {

	private final RedisConnections connections;

	private final ShardKeys keys;

	private final StoreClock clock;

	/** Whether Redis has refused keys in several slots, because it is a cluster. */
	private volatile boolean spread;

	CrossShardCalls(RedisConnections connections, ShardKeys keys, StoreClock clock) {
		this.connections = connections;
		this.keys = keys;
		this.clock = clock;
	}

	/** Starts a script of a shard that looks at others, if it can. */
	CompletableFuture<Reply> start(LuaScript script, Shard shard, Collection<Shard> others, byte[]... arguments) {
		byte[][] own = this.keys.of(shard);
		if (this.spread || others.isEmpty()) {
			return this.connections.start(script, own, this.clock.before(arguments));
		}
		return this.connections.start(script, this.keys.of(shard, others.stream()), this.clock.before(arguments))
			.exceptionallyCompose((ex) -> {
				if (!RedisProblem.isOfSeveralSlots(ex)) {
					return CompletableFuture.failedFuture(ex);
				}
				this.spread = true;
				return this.connections.start(script, own, this.clock.before(arguments));
			});
	}

	/** The same, and waits for the reply. */
	Reply run(LuaScript script, Shard shard, Collection<Shard> others, byte[]... arguments) {
		return this.connections.pending(script.task(), start(script, shard, others, arguments)).get();
	}

}
