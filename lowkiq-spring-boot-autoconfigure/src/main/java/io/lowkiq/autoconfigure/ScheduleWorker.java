package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.JobRequest;
import io.lowkiq.internal.LogText;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PerformContext;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;

/**
 * Enqueues the recurring jobs of a queue. The next time of each schedule waits as a job
 * of a queue of its own. When it is due, two things follow it, both exactly once: the
 * recurring job, and the job that waits for the time after it.
 */
class ScheduleWorker implements Worker<ScheduleTick> {

	private static final Logger logger = LoggerFactory.getLogger(ScheduleWorker.class);

	private static final String SUFFIX = ".schedules";

	private static final Duration RETRY = Duration.ofMinutes(1);

	/** How often a schedule is tried again that this application doesn't know: a day. */
	private static final int MAX_TRIES = 24 * 60;

	private final RegisteredWorker worker;

	private final Set<String> ids;

	private final PerformContext context;

	private final InstantSource clock;

	/**
	 * A worker.
	 * @param worker makes the payloads
	 * @param ids the ids of its schedules
	 * @param context says what follows
	 * @param clock says which times are past
	 */
	ScheduleWorker(RegisteredWorker worker, Set<String> ids, PerformContext context, InstantSource clock) {
		this.worker = worker;
		this.ids = ids;
		this.context = context;
		this.clock = clock;
	}

	/** The queue in which the schedules of another one wait. */
	static String queueOf(String queue) {
		return queue + SUFFIX;
	}

	/**
	 * The ticks come in the order in which they were enqueued, and the last one has the
	 * expression that holds. When a node has started, the time that was waited for before
	 * counts, also if it was missed; if there is none, the next one.
	 */
	@Override
	public void perform(String id, List<ScheduleTick> ticks) {
		if (!this.ids.contains(id) && isGone(id)) {
			return;
		}
		ScheduleTick last = ticks.get(ticks.size() - 1);
		Schedule schedule = last.schedule(id);
		ScheduleTick waitedFor = ticks.stream()
			.filter((tick) -> tick.hasTime() && tick.isOf(last))
			.min(Comparator.comparingLong(ScheduleTick::time))
			.orElse(null);
		Instant now = now();
		Instant next;
		if (waitedFor == null) {
			next = schedule.after(now);
		}
		else {
			next = waitedFor.instant().isAfter(now) ? waitedFor.instant() : enqueue(schedule, waitedFor.instant(), now);
		}
		if (next != null) {
			this.context.onSuccess()
				.enqueue(queueOf(this.worker.queue()), JobRequest.of(id, schedule.tick(next)).performAt(next));
		}
	}

	/**
	 * The clock of the node may be behind that of the store, by which the job was due:
	 * nothing that was enqueued then may be enqueued again.
	 */
	private Instant now() {
		Instant now = this.clock.instant();
		Instant performAt = this.context.performAt();
		return now.isAfter(performAt) ? now : performAt;
	}

	/** Enqueues a recurring job; returns the time after it, null if there is none. */
	private @Nullable Instant enqueue(Schedule schedule, Instant time, Instant now) {
		Object payload = this.worker.worker().get().payloadAt(schedule.id(), time);
		LowkiqClient onSuccess = this.context.onSuccess();
		onSuccess.enqueue(this.worker.queue(),
				JobRequest.of(schedule.id(), payload).score((double) time.toEpochMilli()));
		return schedule.after(now);
	}

	/**
	 * A schedule that this application doesn't have may belong to a newer version of it,
	 * whose nodes are just being started; after a day it was removed.
	 */
	private boolean isGone(String id) {
		if (this.context.retryCount() < MAX_TRIES) {
			throw new IllegalStateException(
					"The worker of queue '%s' has no schedule '%s'. If that has been removed, it ends after a day; delete it to end it now"
						.formatted(this.worker.queue(), LogText.of(id)));
		}
		logger.info("Schedule '{}' of queue '{}' has ended: no version of the application has it", LogText.of(id),
				this.worker.queue());
		return true;
	}

	@Override
	public Duration retryIn(int retryCount, Throwable error) {
		return RETRY;
	}

}
