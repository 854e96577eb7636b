package io.lowkiq.test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.LowkiqException;
import io.lowkiq.PayloadCodec;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;

final class StoreContents {

	private static final int PAGE = 1_000;

	private static final Comparator<StoredJob> BY_PERFORM_AT = Comparator.comparing(StoredJob::performAt)
		.thenComparing(StoredJob::id);

	private final RedisStore store;

	private final WorkerRegistry workers;

	private final PayloadCodec codec;

	StoreContents(RedisStore store, WorkerRegistry workers, PayloadCodec codec) {
		this.store = store;
		this.workers = workers;
		this.codec = codec;
	}

	/** The busy and the queued jobs of a queue, by performAt. */
	List<StoredJob> waiting(String queue) {
		return Stream.concat(jobs(queue, JobList.BUSY), jobs(queue, JobList.QUEUED)).sorted(BY_PERFORM_AT).toList();
	}

	/** The dead jobs of a queue, the longest dead first. */
	List<StoredJob> dead(String queue) {
		return jobs(queue, JobList.DEAD).sorted(BY_PERFORM_AT).toList();
	}

	/** Describes what waits, for people. */
	String describe(Predicate<String> queues, Instant now) {
		return this.store.queues()
			.all()
			.stream()
			.map(QueueLayout::name)
			.filter(queues)
			.map((queue) -> QueueJobs.describe(queue, waiting(queue), now))
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Fetched, or due and not paused. A job fetched between the readings is found by the
	 * second.
	 */
	boolean isBusy(Predicate<String> queues, Instant now) {
		return shards(queues)
			.anyMatch((shard) -> isDue(shard, now) || this.store.inspection().counts(shard).busy() > 0);
	}

	private boolean isDue(Shard shard, Instant now) {
		return !this.store.inspection().counts(shard).paused()
				&& views(shard, JobList.QUEUED, 0).anyMatch((job) -> job.performAt() <= now.toEpochMilli());
	}

	boolean isAnyBusy() {
		return shards((queue) -> true).anyMatch((shard) -> this.store.inspection().counts(shard).busy() > 0);
	}

	/** The smallest performAt of the queued jobs, in milliseconds since 1970. */
	OptionalLong next() {
		return shards((queue) -> true).filter((shard) -> !this.store.inspection().counts(shard).paused())
			.flatMap((shard) -> views(shard, JobList.QUEUED, 0))
			.mapToLong(JobView::performAt)
			.min();
	}

	void pauseAll() {
		shards((queue) -> true).forEach((shard) -> this.store.actions().pause(shard, true));
	}

	/** Deletes all jobs that are not busy, and resumes all queues. */
	void deleteAll() {
		shards((queue) -> true).forEach((shard) -> {
			List<String> ids = views(shard, JobList.QUEUED, 0).map(JobView::id).toList();
			this.store.actions().delete(shard, ids);
			while (this.store.actions().deleteAllDead(shard, PAGE, Long.MAX_VALUE).more()) {
				// Goes on
			}
			this.store.actions().pause(shard, false);
		});
	}

	/** Ends the rest that ids have to take after a run. */
	void endRests() {
		shards((queue) -> true).forEach((shard) -> this.store.actions().performAllNow(shard, PAGE));
	}

	private Stream<Shard> shards(Predicate<String> queues) {
		return this.store.queues()
			.all()
			.stream()
			.filter((queue) -> queues.test(queue.name()))
			.flatMap((queue) -> queue.allShards().stream());
	}

	private Stream<StoredJob> jobs(String queue, JobList list) {
		Optional<QueueLayout> layout = this.store.queues().find(queue);
		if (layout.isEmpty() && this.workers.ofQueue(queue).isEmpty()) {
			throw new IllegalArgumentException("There is no queue '%s'; the queues are %s".formatted(queue, names()));
		}
		return layout.stream()
			.flatMap((known) -> known.allShards().stream())
			.flatMap((shard) -> views(shard, list, PAGE))
			.map((job) -> job(queue, job));
	}

	private List<String> names() {
		Stream<String> recorded = this.store.queues().all().stream().map(QueueLayout::name);
		Stream<String> served = this.workers.all().stream().map(RegisteredWorker::queue);
		return Stream.concat(recorded, served).distinct().sorted().toList();
	}

	private Stream<JobView> views(Shard shard, JobList list, int payloads) {
		JobQuery query = new JobQuery(list, false, null, null, PAGE, payloads);
		return this.store.inspection().listAll(shard, query).stream();
	}

	private StoredJob job(String queue, JobView job) {
		List<Object> payloads = job.payloads().stream().map((payload) -> read(queue, payload)).toList();
		List<Double> scores = job.payloads().stream().map(Payload::score).toList();
		return new StoredJob(job.id(), job.state(), Instant.ofEpochMilli(job.performAt()), job.retryCount(),
				job.error(), payloads, scores);
	}

	private Object read(String queue, Payload stored) {
		byte[] payload = stored.bytes();
		Optional<RegisteredWorker> worker = this.workers.ofQueue(queue);
		if (worker.isPresent()) {
			try {
				return worker.get().codecOr(this.codec).decode(payload, worker.get().payloadType());
			}
			catch (LowkiqException ex) {
				// Shown as text
			}
		}
		return new String(payload, StandardCharsets.UTF_8);
	}

}
