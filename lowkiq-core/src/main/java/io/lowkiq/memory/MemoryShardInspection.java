package io.lowkiq.memory;

import java.util.Collection;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import io.lowkiq.memory.JobListing.Listed;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;

/**
 * The read side of a shard, for people.
 */
final class MemoryShardInspection implements ShardInspection {

	private final MemoryShards shards;

	MemoryShardInspection(MemoryShards shards) {
		this.shards = shards;
	}

	@Override
	public ShardCounts counts(Shard shard) {
		return this.shards.step(shard, (memory, now) -> memory.counts(now.millis()));
	}

	@Override
	public Optional<JobView> find(Shard shard, State state, String id, int payloads) {
		return this.shards.step(shard, (memory, now) -> switch (state) {
			case QUEUED -> Optional.ofNullable(memory.queue().find(id)).map((job) -> view(shard, state, job, payloads));
			case BUSY -> Optional.ofNullable(memory.busy().get(id)).map((job) -> view(shard, state, job, payloads));
			case DEAD -> Optional.ofNullable(memory.morgue().find(id)).map((job) -> view(shard, job, payloads));
		});
	}

	@Override
	public JobPage list(Shard shard, JobQuery query) {
		JobListing listing = new JobListing(query);
		return this.shards.step(shard, (memory, now) -> listing.page(all(memory, shard, query)));
	}

	private static Stream<Listed> all(MemoryShard memory, Shard shard, JobQuery query) {
		JobQueue queue = memory.queue();
		return switch (query.list()) {
			case QUEUED -> listed(shard, State.QUEUED, queue.all(), (job) -> 0, query);
			case READY -> listed(shard, State.QUEUED, queue.ready().keySet(), queue.ready()::get, query);
			case DELAYED -> listed(shard, State.QUEUED, queue.delayedJobs(), MemoryJob::performAt, query);
			case HELD -> listed(shard, State.QUEUED, queue.delayed().stream().filter(MemoryJob::isHeld).toList(),
					MemoryJob::performAt, query);
			case SUSPECTS -> listed(shard, State.QUEUED, queue.suspects(), MemoryJob::performAt, query);
			case RETRIES -> listed(shard, State.QUEUED, queue.retries(), MemoryJob::retryCount, query);
			case BUSY -> listed(shard, State.BUSY, memory.busy().values(), (job) -> 0, query);
			case DEAD ->
				memory.morgue().all().map((job) -> Listed.of(job.buriedAt(), view(shard, job, query.payloads())));
		};
	}

	private static Stream<Listed> listed(Shard shard, State state, Collection<MemoryJob> jobs,
			ToLongFunction<MemoryJob> key, JobQuery query) {
		return jobs.stream().map((job) -> Listed.of(key.applyAsLong(job), view(shard, state, job, query.payloads())));
	}

	private static JobView view(Shard shard, State state, MemoryJob job, int payloads) {
		return new JobView(shard, state, job.id(), job.performAt(), job.retryCount(), job.crashes(), job.error(),
				job.payloads().size(), job.payloads().first(payloads), job.producers().view());
	}

	private static JobView view(Shard shard, Morgue.DeadJob job, int payloads) {
		return new JobView(shard, State.DEAD, job.id(), job.buriedAt(), -1, 0, job.error(), job.payloads().size(),
				job.payloads().first(payloads), job.producers().view());
	}

}
