package io.lowkiq.memory;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

import io.lowkiq.store.Shard;

/**
 * All shards, each under a lock of its own: the shard itself. Wake-ups are delivered on
 * the caller's thread after the lock is released.
 */
final class MemoryShards {

	private final Map<Shard, MemoryShard> shards = new ConcurrentHashMap<>();

	private final InstantSource clock;

	private final MemoryWakeUps wakeUps;

	MemoryShards(InstantSource clock, MemoryWakeUps wakeUps) {
		this.clock = clock;
		this.wakeUps = wakeUps;
	}

	/** Whether the owner of a shard listens. */
	boolean isHeard(MemoryLease lease) {
		return this.wakeUps.isHeard(lease.session());
	}

	/**
	 * Makes one atomic step on a shard (I5).
	 * @param <T> the type of the answer
	 * @param shard the shard
	 * @param step what to do with the shard at which time
	 * @return the answer
	 */
	<T> T step(Shard shard, BiFunction<MemoryShard, StoreTime, T> step) {
		MemoryShard memory = this.shards.computeIfAbsent(shard, MemoryShard::new);
		T answer;
		List<MemoryLease.Message> messages;
		synchronized (memory) {
			answer = step.apply(memory, StoreTime.of(this.clock.instant()));
			messages = memory.lease().takeMessages();
		}
		messages.forEach((message) -> message.deliver(this.wakeUps));
		return answer;
	}

}
