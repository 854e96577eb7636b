package io.lowkiq.memory;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import io.lowkiq.store.Shard;

/**
 * All shards, each under a lock of its own. Wake-ups are delivered on the caller's thread
 * after the lock is released.
 */
final class MemoryShards {

	/**
	 * A shard and its lock.
	 *
	 * @param shard guarded by the lock
	 * @param lock held for one step
	 */
	private record Guarded(MemoryShard shard, ReentrantLock lock) {

		static Guarded of(Shard shard) {
			return new Guarded(new MemoryShard(shard), new ReentrantLock());
		}

	}

	private final Map<Shard, Guarded> shards = new ConcurrentHashMap<>();

	private final InstantSource clock;

	private final MemoryWakeUps wakeUps;

	MemoryShards(InstantSource clock, MemoryWakeUps wakeUps) {
		this.clock = clock;
		this.wakeUps = wakeUps;
	}

	/**
	 * Makes one atomic step on a shard (I5).
	 * @param <T> the type of the answer
	 * @param shard the shard
	 * @param step what to do with the shard at which time
	 * @return the answer
	 */
	<T> T step(Shard shard, BiFunction<MemoryShard, StoreTime, T> step) {
		Guarded guarded = this.shards.computeIfAbsent(shard, Guarded::of);
		T answer;
		List<Consumer<MemoryWakeUps>> messages;
		guarded.lock().lock();
		try {
			answer = step.apply(guarded.shard(), StoreTime.of(this.clock.instant()));
			messages = guarded.shard().lease().takeMessages();
		}
		finally {
			guarded.lock().unlock();
		}
		messages.forEach((message) -> message.accept(this.wakeUps));
		return answer;
	}

}
