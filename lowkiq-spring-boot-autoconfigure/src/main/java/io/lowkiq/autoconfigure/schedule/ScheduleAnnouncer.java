package io.lowkiq.autoconfigure.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.UnservedQueues;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.event.EventListener;

/**
 * Keeps the ticks of the schedules in Redis: announces all schedules when the server has
 * started, and those whose tick is missing once a minute, as after Redis lost its data.
 * Deletes the ticks of schedules that are switched off, and the queue of ticks of a
 * worker that has no schedule any more. All but the events happens on the thread of the
 * loop.
 */
public class ScheduleAnnouncer implements BackgroundLoop.Owner, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(ScheduleAnnouncer.class);

	private static final Duration PERIOD = Duration.ofMinutes(1);

	private final DeclaredSchedules schedules;

	private final LowkiqClient client;

	private final RedisStore store;

	private final ObjectProvider<LowkiqAdmin> admin;

	private final BackgroundLoop loop;

	/** The queues that were announced since the server started. */
	private final Set<String> announced = new HashSet<>();

	/** An announcer that waits for the server to start. */
	public ScheduleAnnouncer(DeclaredSchedules schedules, LowkiqClient client, RedisStore store,
			ObjectProvider<LowkiqAdmin> admin) {
		this.schedules = schedules;
		this.client = client;
		this.store = store;
		this.admin = admin;
		this.loop = new BackgroundLoop("schedules",
				"Recurring jobs that are not announced are not enqueued; the others go on", PERIOD, this::announce,
				InstantSource.system());
	}

	/** The server has started, perhaps without Redis. */
	@EventListener
	void started(LowkiqServerEvent.Started event) {
		if (this.schedules.hasWorkers()) {
			this.loop.start();
		}
	}

	@EventListener
	void stopped(LowkiqServerEvent.Stopped event) {
		destroy();
	}

	@Override
	public void destroy() {
		this.loop.close();
	}

	@Override
	public BackgroundLoop loop() {
		return this.loop;
	}

	/** Announces the schedules, and throws if some of a queue failed. */
	public void announce() {
		Map<String, QueueLayout> recorded = this.store.queues()
			.all()
			.stream()
			.collect(Collectors.toMap(QueueLayout::name, (layout) -> layout));
		List<RuntimeException> problems = new ArrayList<>();
		this.schedules.all().forEach((queue, all) -> {
			try {
				announce(queue, all, recorded);
			}
			catch (RuntimeException ex) {
				problems.add(new IllegalStateException(
						"The schedules of queue '%s' can't be announced: %s".formatted(queue, ex.getMessage()), ex));
			}
		});
		this.schedules.switchedOff().forEach((queue, ids) -> deleteTicks(queue, ids, recorded));
		removeQueues(recorded);
		if (!problems.isEmpty()) {
			IllegalStateException all = new IllegalStateException(
					problems.stream().map(RuntimeException::getMessage).collect(Collectors.joining(". ")),
					problems.get(0).getCause());
			problems.subList(1, problems.size()).forEach(all::addSuppressed);
			throw all;
		}
	}

	/** Lets each schedule wait in a store that has no ticks, as that of a test. */
	public void begin() {
		Instant now = Instant.ofEpochMilli(this.store.nodes().now());
		this.schedules.all().forEach((queue, all) -> {
			List<JobRequest<ScheduleTick>> ticks = new ArrayList<>();
			for (Schedule schedule : all) {
				Instant next = schedule.after(now);
				if (next != null) {
					ticks.add(JobRequest.of(schedule.id(), schedule.tick(next, 0)).performAt(next));
				}
			}
			this.client.enqueueAll(InternalQueue.SCHEDULES.nameFor(queue), ticks);
		});
	}

	private void announce(String queue, List<Schedule> all, Map<String, QueueLayout> recorded) {
		QueueLayout ticks = recorded.get(InternalQueue.SCHEDULES.nameFor(queue));
		// Before the look: a time that comes meanwhile may have its tick
		Instant now = Instant.ofEpochMilli(this.store.nodes().now());
		List<JobRequest<ScheduleTick>> announcements = new ArrayList<>();
		for (Schedule schedule : all) {
			Instant first = schedule.after(now);
			if (first != null && (ticks == null || !this.announced.contains(queue) || !hasTick(ticks, schedule.id()))) {
				announcements.add(JobRequest.of(schedule.id(), schedule.start(first)));
			}
		}
		if (!announcements.isEmpty()) {
			this.client.enqueueAll(InternalQueue.SCHEDULES.nameFor(queue), announcements);
		}
		this.announced.add(queue);
	}

	private boolean hasTick(QueueLayout ticks, String id) {
		Shard shard = ticks.allShards().get(0);
		return this.store.inspection().find(shard, JobView.State.QUEUED, id, 0).isPresent()
				|| this.store.inspection().find(shard, JobView.State.BUSY, id, 0).isPresent();
	}

	private void deleteTicks(String queue, Collection<String> ids, Map<String, QueueLayout> recorded) {
		QueueLayout ticks = recorded.get(InternalQueue.SCHEDULES.nameFor(queue));
		if (ticks != null && this.store.actions().delete(ticks.allShards().get(0), ids).changed() > 0) {
			logger.info("Schedules {} of queue '{}' are switched off", LogText.of(ids), queue);
		}
	}

	/** A node of another version of the application may still have schedules of them. */
	private void removeQueues(Map<String, QueueLayout> recorded) {
		List<String> left = this.schedules.without()
			.stream()
			.map(InternalQueue.SCHEDULES::nameFor)
			.filter(recorded::containsKey)
			.toList();
		LowkiqAdmin operator = this.admin.getIfAvailable();
		if (left.isEmpty() || operator == null) {
			return;
		}
		List<String> unserved = new UnservedQueues(this.store).find();
		left.stream().filter(unserved::contains).forEach((queue) -> {
			operator.act(queue, AdminAction.REMOVE_QUEUE, List.of(), ActionProgress.NONE);
			logger.info("Queue '{}' is removed: its worker has no schedules any more", queue);
		});
	}

}
