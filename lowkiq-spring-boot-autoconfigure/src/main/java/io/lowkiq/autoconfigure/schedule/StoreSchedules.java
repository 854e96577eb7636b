package io.lowkiq.autoconfigure.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.QueueWorker;
import io.lowkiq.TransactionMode;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.ScheduleControl;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.ScheduleStatus.Result;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of the store, those of others too, and of this application. Thread-safe.
 */
public final class StoreSchedules implements ScheduleControl {

	private static final int PAGE = 100;

	private final DeclaredSchedules declared;

	private final WorkerRegistry workers;

	private final LowkiqClient client;

	private final RedisStore store;

	private final Supplier<@Nullable String> problem;

	public StoreSchedules(DeclaredSchedules declared, WorkerRegistry workers, LowkiqClient client, RedisStore store,
			Supplier<@Nullable String> problem) {
		this.declared = declared;
		this.workers = workers;
		this.client = client;
		this.store = store;
		this.problem = problem;
	}

	@Override
	public List<ScheduleStatus> all() {
		List<ScheduleStatus> all = new ArrayList<>();
		Set<List<String>> known = new HashSet<>();
		for (QueueLayout layout : this.store.queues().all()) {
			if (InternalQueue.SCHEDULES.isKindOf(layout.name())) {
				for (ScheduleStatus each : inStore(layout)) {
					known.add(List.of(each.queue(), each.id()));
					all.add(each);
				}
			}
		}
		this.declared.all().forEach((queue, schedules) -> {
			for (Schedule each : schedules) {
				if (!known.contains(List.of(queue, each.id()))) {
					all.add(missing(queue, each));
				}
			}
		});
		all.sort(Comparator.comparing(ScheduleStatus::queue).thenComparing(ScheduleStatus::id));
		return all;
	}

	private ScheduleStatus missing(String queue, Schedule schedule) {
		String reason = this.problem.get();
		return new ScheduleStatus(queue, schedule.id(), schedule.cron(), schedule.zone().getId(), null, null,
				Result.NONE, null, false,
				(reason != null) ? LogText.of(reason) : "It was not announced yet. A server does that within a minute");
	}

	private List<ScheduleStatus> inStore(QueueLayout ticks) {
		String queue = InternalQueue.ownerOf(ticks.name());
		Optional<QueueLayout> jobs = this.store.queues().find(queue);
		List<ScheduleStatus> found = new ArrayList<>();
		for (Shard shard : ticks.allShards()) {
			boolean isPaused = this.store.inspection().counts(shard).paused();
			Set<String> ids = new HashSet<>();
			for (JobList list : List.of(JobList.QUEUED, JobList.BUSY)) {
				JobQuery query = new JobQuery(list, false, null, null, PAGE, PAGE);
				for (JobView tick : this.store.inspection().listAll(shard, query)) {
					if (ids.add(tick.id())) {
						found.add(status(queue, jobs.orElse(null), tick, isPaused));
					}
				}
			}
		}
		return found;
	}

	private ScheduleStatus status(String queue, @Nullable QueueLayout jobs, JobView job, boolean queuePaused) {
		ScheduleTicks ticks;
		try {
			ticks = ScheduleTicks.of(job);
		}
		catch (RuntimeException ex) {
			return new ScheduleStatus(queue, job.id(), "", "", null, null, Result.NONE, null,
					queuePaused || isHeld(job),
					"Its next time can't be read: " + LogText.of(String.valueOf(ex.getMessage())));
		}
		boolean isPaused = queuePaused || isHeld(job);
		Instant last = ticks.last();
		JobView lastJob = (jobs != null) ? find(jobs.shardOf(job.id()), job.id(), last) : null;
		return new ScheduleStatus(queue, job.id(), ticks.latest().cron(), ticks.latest().zone(),
				isPaused ? null : ticks.next(), last, result(lastJob, last), error(lastJob), isPaused, null);
	}

	private static boolean isHeld(JobView job) {
		return job.state() == State.QUEUED && job.performAt() == FetchResult.NOTHING;
	}

	/** A job that died before the last time belongs to an earlier one. */
	private @Nullable JobView find(Shard shard, String id, @Nullable Instant last) {
		for (State state : List.of(State.BUSY, State.QUEUED, State.DEAD)) {
			Optional<JobView> found = this.store.inspection().find(shard, state, id, 0);
			if (found.isPresent()
					&& (state != State.DEAD || last == null || found.get().performAt() >= last.toEpochMilli())) {
				return found.get();
			}
		}
		return null;
	}

	private static Result result(@Nullable JobView job, @Nullable Instant last) {
		if (job == null) {
			return (last != null) ? Result.DONE : Result.NONE;
		}
		return switch (job.state()) {
			case BUSY -> Result.RUNNING;
			case DEAD -> Result.DEAD;
			case QUEUED -> (job.retryCount() >= 0) ? Result.RETRYING : Result.WAITING;
		};
	}

	private static @Nullable String error(@Nullable JobView job) {
		String error = (job != null) ? job.error() : null;
		return (error != null) ? error.lines().findFirst().map(LogText::of).orElse(null) : null;
	}

	@Override
	public void runNow(String queue, String id) {
		if (!isDeclared(queue, id)) {
			// Says so if there is none
			tick(queue, id);
		}
		QueueWorker<?> worker = this.workers.ofQueue(queue)
			.orElseThrow(() -> new IllegalStateException(
					"This application doesn't have the worker of queue '%s', which makes the payloads"
						.formatted(queue)))
			.worker()
			.get();
		long now = this.store.nodes().now();
		Object payload = worker.payloadAt(id, Instant.ofEpochMilli(now));
		this.client.transactional(TransactionMode.OFF).enqueue(queue, JobRequest.of(id, payload).score((double) now));
	}

	private boolean isDeclared(String queue, String id) {
		return this.declared.all().getOrDefault(queue, List.of()).stream().anyMatch((each) -> each.id().equals(id));
	}

	@Override
	public void pause(String queue, String id) {
		JobView tick = tick(queue, id);
		if (isHeld(tick)) {
			return;
		}
		this.store.actions().hold(tick.shard(), List.of(id));
		if (!isHeld(tick(queue, id))) {
			// It runs: its next time comes when it is done
			this.store.actions().release(tick.shard(), List.of(id));
			throw new IllegalStateException(
					"The time of schedule '%s' of queue '%s' has come at this moment. Try again".formatted(id, queue));
		}
	}

	@Override
	public void resume(String queue, String id) {
		JobView tick = tick(queue, id);
		if (!isHeld(tick)) {
			return;
		}
		ScheduleTicks ticks = ScheduleTicks.of(tick);
		Instant next = ticks.latest().schedule(id).after(Instant.ofEpochMilli(this.store.nodes().now()));
		// A time that has passed would give a job. Without its tick, it is announced
		// again
		this.store.actions().delete(tick.shard(), List.of(id));
		if (next != null) {
			byte[] payload = ScheduleWorker.CODEC.encode(ticks.at(next), ScheduleTick.class);
			this.store.shards()
				.enqueue(tick.shard(), List.of(NewPayload.of(id, payload).withPerformAt(next.toEpochMilli())));
		}
	}

	private JobView tick(String queue, String id) {
		return this.store.queues().find(InternalQueue.SCHEDULES.nameFor(queue)).flatMap((layout) -> {
			Shard shard = layout.shardOf(id);
			return this.store.inspection()
				.find(shard, State.QUEUED, id, ScheduleWorker.SETTINGS.maxPayloads())
				.or(() -> this.store.inspection().find(shard, State.BUSY, id, 0));
		})
			.orElseThrow(() -> new IllegalArgumentException(
					"There is no schedule '%s' of queue '%s'".formatted(LogText.of(id), LogText.of(queue))));
	}

}
