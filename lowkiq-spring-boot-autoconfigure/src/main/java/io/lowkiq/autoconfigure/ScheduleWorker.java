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
import io.lowkiq.LogText;
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
	private static final int MOST_TRIES = 24 * 60;

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
	 * A job that waits for a time of a schedule.
	 */
	static JobRequest<ScheduleTick> request(Schedule schedule, Instant time) {
		return JobRequest.of(schedule.id(), schedule.tick(time)).performAt(time);
	}

	/**
	 * The ticks come in the order in which they were enqueued. The last one has the
	 * expression that holds. Another one may be there because a node has started: with
	 * the same expression, then the earlier time counts, or with one that holds no more.
	 */
	@Override
	public void perform(String id, List<ScheduleTick> ticks) {
		if (!this.ids.contains(id) && isGone(id)) {
			return;
		}
		ScheduleTick last = ticks.get(ticks.size() - 1);
		ScheduleTick first = ticks.stream()
			.filter(last::isOf)
			.min(Comparator.comparingLong(ScheduleTick::time))
			.orElse(last);
		// The job was due at the earliest time, by the clock of the store
		boolean isDue = first.time() <= this.clock.millis()
				|| ticks.stream().noneMatch((tick) -> tick.time() < first.time());
		Schedule schedule = last.schedule(id);
		Instant next = isDue ? enqueue(schedule, first.instant()) : first.instant();
		if (next != null) {
			this.context.onSuccess().enqueue(queueOf(this.worker.queue()), request(schedule, next));
		}
	}

	/** Enqueues a recurring job; returns the time after it, null if there is none. */
	private @Nullable Instant enqueue(Schedule schedule, Instant time) {
		Object payload = this.worker.worker().get().payloadAt(schedule.id(), time);
		LowkiqClient onSuccess = this.context.onSuccess();
		onSuccess.enqueue(this.worker.queue(),
				JobRequest.of(schedule.id(), payload).score((double) time.toEpochMilli()));
		Instant now = this.clock.instant();
		return schedule.after(time.isAfter(now) ? time : now);
	}

	/**
	 * A schedule that this application doesn't have may belong to a newer version of it,
	 * whose nodes are just being started; after a day it was removed.
	 */
	private boolean isGone(String id) {
		if (this.context.retryCount() < MOST_TRIES) {
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
