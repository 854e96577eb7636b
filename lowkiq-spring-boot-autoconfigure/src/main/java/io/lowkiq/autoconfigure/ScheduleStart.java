package io.lowkiq.autoconfigure;

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
 * Says of each schedule that a node has started which has it. Its job then goes on
 * waiting for the time that it waits for, or begins to wait for one.
 */
class ScheduleStart implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(ScheduleStart.class);

	private static final long PAUSE = 5;

	private final Schedules schedules;

	private final LowkiqClient client;

	/** Guarded by the monitor. */
	private @Nullable ScheduledExecutorService executor;

	ScheduleStart(Schedules schedules, LowkiqClient client) {
		this.schedules = schedules;
		this.client = client;
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
		this.schedules.all()
			.forEach((queue, schedules) -> this.client.enqueueAll(ScheduleWorker.queueOf(queue),
					schedules.stream().map((schedule) -> JobRequest.of(schedule.id(), schedule.start())).toList()));
	}

}
