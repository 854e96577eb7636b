package io.lowkiq.memory;

import java.util.List;
import java.util.Optional;

import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

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
	public Optional<JobView> find(Shard shard, JobView.State state, String id, int payloads) {
		return this.shards.step(shard, (memory, now) -> Optional.ofNullable(switch (state) {
			case QUEUED -> view(shard, state, memory.queue().find(id), payloads);
			case BUSY -> view(shard, state, memory.busy().get(id), payloads);
			case DEAD -> view(shard, memory.morgue().find(id), payloads);
		}));
	}

	@Override
	public JobPage list(Shard shard, JobQuery query) {
		JobListing listing = new JobListing(query);
		return this.shards.step(shard, (memory, now) -> listing.page(all(memory, shard, query)));
	}

	private static List<JobView> all(MemoryShard memory, Shard shard, JobQuery query) {
		int payloads = query.payloads();
		return switch (query.state()) {
			case QUEUED ->
				memory.queue().inOrder().map((job) -> viewOf(shard, JobView.State.QUEUED, job, payloads)).toList();
			case BUSY ->
				memory.busy().values().stream().map((job) -> viewOf(shard, JobView.State.BUSY, job, payloads)).toList();
			case DEAD -> memory.morgue().all().map((job) -> viewOf(shard, job, payloads)).toList();
		};
	}

	private static @Nullable JobView view(Shard shard, JobView.State state, @Nullable MemoryJob job, int payloads) {
		return (job != null) ? viewOf(shard, state, job, payloads) : null;
	}

	private static @Nullable JobView view(Shard shard, Morgue.@Nullable DeadJob job, int payloads) {
		return (job != null) ? viewOf(shard, job, payloads) : null;
	}

	private static JobView viewOf(Shard shard, JobView.State state, MemoryJob job, int payloads) {
		return new JobView(shard, state, job.id(), job.performAt(), job.retryCount(), job.crashes(), job.error(),
				job.payloads().size(), job.payloads().first(payloads));
	}

	private static JobView viewOf(Shard shard, Morgue.DeadJob job, int payloads) {
		return new JobView(shard, JobView.State.DEAD, job.id(), job.buriedAt(), -1, 0, job.error(),
				job.payloads().size(), job.payloads().first(payloads));
	}

}
