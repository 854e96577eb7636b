package io.lowkiq.memory;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.lowkiq.memory.MemoryJob.Place;
import io.lowkiq.store.Payload;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.ShardActions;
import org.jspecify.annotations.Nullable;

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
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = memory.queue().notDue(now.millis()).limit(limit).toList();
			jobs.forEach((job) -> memory.performNow(job, now.millis()));
			memory.queue().endRests(now.millis());
			return new Step(jobs.size(), memory.queue().notDue(now.millis()).findAny().isPresent());
		});
	}

	@Override
	public Step performNow(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = queued(memory, ids)
				.filter((job) -> job.place() == Place.DELAYED || job.place() == Place.SUSPECT)
				.filter((job) -> !job.isDue(now.millis()) && !job.isHeld())
				.toList();
			ids.forEach((id) -> memory.wakeFromRest(id, now.millis()));
			jobs.forEach((job) -> memory.performNow(job, now.millis()));
			return new Step(jobs.size(), false);
		});
	}

	@Override
	public Step releaseAll(Shard shard, int limit) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = held(memory).limit(limit).toList();
			jobs.forEach((job) -> memory.release(job, now.millis()));
			return new Step(jobs.size(), held(memory).findAny().isPresent());
		});
	}

	@Override
	public Step release(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = queued(memory, ids).filter(MemoryJob::isHeld).toList();
			jobs.forEach((job) -> memory.release(job, now.millis()));
			return new Step(jobs.size(), false);
		});
	}

	private static Stream<MemoryJob> held(MemoryShard shard) {
		return shard.queue().delayed().stream().filter(MemoryJob::isHeld);
	}

	@Override
	public Step hold(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = queued(memory, ids).filter((job) -> !job.isHeld()).toList();
			jobs.forEach(memory::hold);
			return new Step(jobs.size(), false);
		});
	}

	@Override
	public boolean editHeld(Shard shard, String id, byte[] known, byte[] replacement) {
		return this.shards.step(shard, (memory, now) -> memory.edit(id, known, replacement));
	}

	@Override
	public boolean editDead(Shard shard, String id, byte[] known, byte[] replacement) {
		return this.shards.step(shard, (memory, now) -> memory.editDead(id, known, replacement));
	}

	@Override
	public Step kill(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = queued(memory, ids).toList();
			jobs.forEach((job) -> memory.kill(job, now.millis()));
			memory.queue().deleted(jobs.size());
			return new Step(jobs.size(), false);
		});
	}

	@Override
	public Step killAllFailed(Shard shard, int limit) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = memory.queue().retries().stream().limit(limit).toList();
			jobs.forEach((job) -> memory.kill(job, now.millis()));
			memory.queue().deleted(jobs.size());
			return new Step(jobs.size(), !memory.queue().retries().isEmpty());
		});
	}

	@Override
	public Step deleteAllFailed(Shard shard, int limit) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = memory.queue().retries().stream().limit(limit).toList();
			delete(memory, jobs);
			return new Step(jobs.size(), !memory.queue().retries().isEmpty());
		});
	}

	@Override
	public Step delete(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			List<MemoryJob> jobs = queued(memory, ids).toList();
			delete(memory, jobs);
			return new Step(jobs.size(), false);
		});
	}

	private static void delete(MemoryShard shard, List<MemoryJob> jobs) {
		jobs.forEach((job) -> {
			shard.queue().remove(job.id());
			shard.queue().endRest(job.id());
		});
		shard.queue().deleted(jobs.size());
	}

	private static Stream<MemoryJob> queued(MemoryShard shard, Collection<String> ids) {
		return ids.stream().distinct().map(shard.queue()::find).filter(Objects::nonNull);
	}

	@Override
	public void bury(Shard shard, String id, byte[] payload, double score, String error) {
		this.shards.step(shard, (memory, now) -> {
			if (memory.isClosed()) {
				throw new QueueClosedException(shard.queue());
			}
			memory.bury(id, new Payload(payload, score), error, now.millis());
			return true;
		});
	}

	@Override
	public Step reEnqueueAll(Shard shard, int limit, long before) {
		return this.shards.step(shard, (memory, now) -> {
			List<String> ids = memory.morgue().buriedBefore(before, limit);
			ids.forEach((id) -> memory.reEnqueue(id, now.millis()));
			return new Step(ids.size(), memory.morgue().anyBuriedBefore(before));
		});
	}

	@Override
	public Step reEnqueue(Shard shard, Collection<String> ids) {
		return this.shards.step(shard, (memory, now) -> {
			long moved = ids.stream().filter((id) -> memory.reEnqueue(id, now.millis())).count();
			return new Step((int) moved, false);
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
	public Erasure erase(Shard shard, String id) {
		return this.shards.step(shard, (memory, now) -> memory.erase(id));
	}

	@Override
	public Closing close(Shard shard, @Nullable String ended, boolean ifEmpty) {
		return this.shards.step(shard, (memory, now) -> memory.close(ended, ifEmpty));
	}

	@Override
	public void open(Shard shard) {
		this.shards.step(shard, (memory, now) -> {
			memory.open();
			return true;
		});
	}

	@Override
	public Step empty(Shard shard, int limit) {
		return this.shards.step(shard, (memory, now) -> {
			if (!memory.isClosed() || memory.lease().session() != null) {
				throw new StoreException("Shard %s is not closed, and was not emptied".formatted(shard), null);
			}
			return memory.empty(limit);
		});
	}

	@Override
	public void pause(Shard shard, boolean paused) {
		this.shards.step(shard, (memory, now) -> {
			memory.pause(paused);
			return paused;
		});
	}

}
