package io.lowkiq.autoconfigure.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;

/**
 * Enqueues the recurring jobs of a queue. The next time of each schedule waits as a job
 * of a queue of its own, a tick. When it is due, two things follow it, both exactly once:
 * the recurring job, and the tick of the time after it.
 */
public final class ScheduleWorker implements Worker<ScheduleTick> {

	private static final Logger logger = LoggerFactory.getLogger(ScheduleWorker.class);

	/** One shard; of equal ticks, the later one counts. */
	static final RegisteredWorker.Settings SETTINGS = new RegisteredWorker.Settings(1, 1, Integer.MAX_VALUE, 1_000, 1,
			0)
		.with(FailurePolicy.DEFAULT)
		.with(new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO, false, true, false));

	/** So that schedules continue whatever the application does to payloads. */
	static final PayloadCodec CODEC = new JacksonPayloadCodec();

	private static final Duration RETRY = Duration.ofMinutes(1);

	/** While a deploy may be in progress. */
	private static final Duration DEPLOY_PAUSE = Duration.ofSeconds(5);

	private static final Duration LONGEST_DEPLOY = Duration.ofMinutes(10);

	/** How long a schedule is kept that no node has. */
	private static final Duration KEPT_UNKNOWN = Duration.ofDays(1);

	private final RegisteredWorker worker;

	private final Set<String> ids;

	private final ThreadPerformContext context;

	ScheduleWorker(RegisteredWorker worker, Set<String> ids, ThreadPerformContext context) {
		this.worker = worker;
		this.ids = ids;
		this.context = context;
	}

	/** The worker that keeps the schedules of another one. */
	public static RegisteredWorker registered(RegisteredWorker worker, Set<String> ids,
			Supplier<ThreadPerformContext> context) {
		return new RegisteredWorker(InternalQueue.SCHEDULES.nameFor(worker.queue()), ScheduleWorker.class,
				ScheduleTick.class, SETTINGS, () -> new ScheduleWorker(worker, Set.copyOf(ids), context.get()), CODEC);
	}

	/**
	 * The clock of the store, by which ticks are due, decides which times are past: the
	 * node's may be ahead, and would skip times.
	 * <p>
	 * The ticks come in the order in which they were enqueued, and the last one has the
	 * expression that holds. The time that was waited for counts, also if it was missed.
	 * If there is none, the schedule begins with its first time after the announcement.
	 */
	@Override
	public void perform(String id, List<ScheduleTick> ticks) {
		ScheduleTicks waiting = new ScheduleTicks(ticks);
		long awaited = awaited(waiting);
		Instant now = this.context.fetchedAt();
		if (!this.ids.contains(id)) {
			passOn(id, waiting, awaited, now);
			return;
		}
		Schedule schedule = waiting.latest().schedule(id);
		Instant next;
		long last = waiting.lastMillis();
		if (awaited == 0) {
			next = schedule.after(now);
		}
		else {
			Instant time = Instant.ofEpochMilli(awaited);
			boolean isOver = !time.isAfter(now);
			next = isOver ? enqueue(schedule, time, now) : time;
			last = isOver ? awaited : last;
		}
		if (next != null) {
			enqueueTick(id, schedule.tick(next, last), next);
		}
	}

	/**
	 * The time to wait for, or 0. If there are later ones, a time that has had its job
	 * doesn't count: the network may have held its tick back. Nor does an announcement
	 * that came after its first time, which may have had its job.
	 */
	private long awaited(ScheduleTicks ticks) {
		long[] times = ticks.valid()
			.stream()
			.mapToLong(ScheduleTick::time)
			.filter((time) -> time > 0)
			.sorted()
			.toArray();
		return Arrays.stream(times)
			.filter((time) -> time > ticks.lastMillis() || time == times[times.length - 1])
			.findFirst()
			.orElseGet(() -> ticks.valid()
				.stream()
				.mapToLong(ScheduleTick::first)
				.filter((first) -> first > this.context.performAt().toEpochMilli())
				.min()
				.orElse(0));
	}

	/** Enqueues a recurring job; returns the time after it, null if there is none. */
	private @Nullable Instant enqueue(Schedule schedule, Instant time, Instant now) {
		Object payload = this.worker.worker().get().payloadAt(schedule.id(), time);
		LowkiqClient onSuccess = this.context.onSuccess();
		onSuccess.enqueue(this.worker.queue(),
				JobRequest.of(schedule.id(), payload).score((double) time.toEpochMilli()));
		return schedule.after(now);
	}

	private void enqueueTick(String id, ScheduleTick tick, Instant performAt) {
		this.context.onSuccess()
			.enqueue(InternalQueue.SCHEDULES.nameFor(this.worker.queue()),
					JobRequest.of(id, tick).performAt(performAt));
	}

	/**
	 * A schedule that this application doesn't have may be of a newer version, whose
	 * nodes are being started; after a day it was removed.
	 */
	private void passOn(String id, ScheduleTicks ticks, long awaited, Instant now) {
		long since = ticks.valid()
			.stream()
			.mapToLong(ScheduleTick::unknownSince)
			.filter((time) -> time > 0)
			.min()
			.orElse(0);
		if (since == 0) {
			since = now.toEpochMilli();
			logger.info(
					"Schedule '{}' of queue '{}' is not in this version of the application. If no node has it, it ends in a day; delete job '{}' of queue '{}' to end it now",
					LogText.of(id), this.worker.queue(), LogText.of(id),
					InternalQueue.SCHEDULES.nameFor(this.worker.queue()));
		}
		// A tick that waits for a later time is not wanted before
		Duration unknown = Duration.between(Instant.ofEpochMilli(Math.max(since, awaited)), now);
		if (unknown.compareTo(KEPT_UNKNOWN) >= 0) {
			logger.info("Schedule '{}' of queue '{}' has ended: no node has had it for a day", LogText.of(id),
					this.worker.queue());
			return;
		}
		Duration pause = (unknown.compareTo(LONGEST_DEPLOY) < 0) ? DEPLOY_PAUSE : RETRY;
		Instant performAt = now.plus(pause);
		Instant time = Instant.ofEpochMilli(awaited);
		enqueueTick(id, ticks.latest().passedOn(awaited, since, ticks.lastMillis()),
				time.isAfter(performAt) ? time : performAt);
	}

	@Override
	public Duration retryIn(int retryCount, Throwable error) {
		return RETRY;
	}

}
