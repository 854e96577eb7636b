package io.lowkiq.autoconfigure;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqServerEvent;

/**
 * Enqueues the next time of each schedule when the server starts. What waits already
 * stays: an equal one merges, and an earlier one was missed and is still to come.
 */
class ScheduleStart implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(ScheduleStart.class);

	private static final long PAUSE = 5;

	private final Schedules schedules;

	private final LowkiqClient client;

	private final InstantSource clock;

	/** Guarded by the monitor. */
	private @Nullable ScheduledExecutorService executor;

	ScheduleStart(Schedules schedules, LowkiqClient client, InstantSource clock) {
		this.schedules = schedules;
		this.client = client;
		this.clock = clock;
	}

	/** The server has started, perhaps without Redis. */
	@EventListener
	synchronized void started(LowkiqServerEvent.Started event) {
		if (this.executor == null && !this.schedules.all().isEmpty()) {
			this.executor = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread thread = new Thread(task, "lowkiq-schedules");
				thread.setDaemon(true);
				return thread;
			});
			var unused = this.executor.scheduleWithFixedDelay(this::enqueue, 0, PAUSE, TimeUnit.SECONDS);
		}
	}

	/** The server has stopped. */
	@EventListener
	void stopped(LowkiqServerEvent.Stopped event) {
		destroy();
	}

	@Override
	public synchronized void destroy() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	/** Ends as soon as it has succeeded. */
	private void enqueue() {
		try {
			enqueueAll();
			synchronized (this) {
				if (this.executor != null) {
					this.executor.shutdown();
				}
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The schedules are not enqueued yet; trying again", ex);
		}
	}

	private void enqueueAll() {
		Instant now = this.clock.instant();
		for (Map.Entry<String, List<Schedule>> schedulesOf : this.schedules.all().entrySet()) {
			List<JobRequest<ScheduleTick>> requests = new ArrayList<>();
			for (Schedule schedule : schedulesOf.getValue()) {
				Instant next = schedule.after(now);
				if (next != null) {
					requests.add(ScheduleWorker.request(schedule, next));
				}
			}
			this.client.enqueueAll(ScheduleWorker.queueOf(schedulesOf.getKey()), requests);
		}
	}

}
