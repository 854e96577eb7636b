package io.lowkiq.memory;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardActions;

/**
 * What people do to the jobs of a shard.
 */
final class MemoryShardActions implements ShardActions {

	private final MemoryShards shards;

	MemoryShardActions(MemoryShards shards) {
		this.shards = shards;
	}

	@Override
	public Step performAllNow(Shard shard, int limit) {
		return this.shards.step(shard, (memory, now) -> changeQueued(memory, isLate(now), limit,
				(job) -> memory.performNow(job, now.millis())));
	}

	@Override
	public Step performNow(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> late = queued(memory, ids, isLate(now));
			late.forEach((job) -> memory.performNow(job, now.millis()));
			return new Step(late.size(), false);
		});
	}

	@Override
	public Step killAllFailed(Shard shard, int limit) {
		return this.shards.step(shard, (memory, now) -> changeQueued(memory, MemoryJob::isRetry, limit,
				(job) -> memory.kill(job, now.millis())));
	}

	@Override
	public Step deleteAllFailed(Shard shard, int limit) {
		return this.shards.step(shard, (memory, now) -> changeQueued(memory, MemoryJob::isRetry, limit,
				(job) -> memory.queue().remove(job.id())));
	}

	@Override
	public Step delete(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = queued(memory, ids, (job) -> true);
			jobs.forEach((job) -> memory.queue().remove(job.id()));
			return new Step(jobs.size(), false);
		});
	}

	@Override
	public Step reviveAll(Shard shard, int limit, long before) {
		return this.shards.step(shard, (memory, now) -> {
			List<String> ids = memory.morgue().buriedBefore(before, limit);
			ids.forEach((id) -> memory.revive(id, now.millis()));
			return new Step(ids.size(), memory.morgue().anyBuriedBefore(before));
		});
	}

	@Override
	public Step revive(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			long revived = ids.stream().filter((id) -> memory.revive(id, now.millis())).count();
			return new Step((int) revived, false);
		});
	}

	@Override
	public Step deleteAllDead(Shard shard, int limit, long before) {
		return this.shards.step(shard, (memory, now) -> {
			List<String> ids = memory.morgue().buriedBefore(before, limit);
			ids.forEach(memory.morgue()::remove);
			return new Step(ids.size(), memory.morgue().anyBuriedBefore(before));
		});
	}

	@Override
	public Step deleteDead(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			long deleted = ids.stream().filter((id) -> memory.morgue().remove(id) != null).count();
			return new Step((int) deleted, false);
		});
	}

	@Override
	public void pause(Shard shard, boolean paused) {
		this.shards.step(shard, (memory, now) -> {
			memory.pause(paused);
			return paused;
		});
	}

	private static Predicate<MemoryJob> isLate(StoreTime now) {
		return (job) -> !job.isInLine() && !job.isDue(now.millis());
	}

	private static Step changeQueued(MemoryShard shard, Predicate<MemoryJob> kind, int limit,
			Consumer<MemoryJob> change) {
		List<MemoryJob> jobs = shard.queue().first(kind, limit);
		jobs.forEach(change);
		return new Step(jobs.size(), shard.queue().any(kind));
	}

	private static List<MemoryJob> queued(MemoryShard shard, Collection<String> ids, Predicate<MemoryJob> kind) {
		return shard.queue().first((job) -> ids.contains(job.id()) && kind.test(job), Integer.MAX_VALUE);
	}

}
