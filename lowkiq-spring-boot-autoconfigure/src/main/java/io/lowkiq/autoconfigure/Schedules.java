package io.lowkiq.autoconfigure;

import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.ReflectionUtils;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.autoconfigure.schedule.DeclaredSchedules;
import io.lowkiq.autoconfigure.schedule.Schedule;
import io.lowkiq.autoconfigure.schedule.ScheduleWorker;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.internal.InternalQueue;

/** Finds the schedules of workers, and makes the workers that keep them. */
class Schedules {

	private static final Logger logger = LoggerFactory.getLogger(Schedules.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final InstantSource clock;

	private final DeclaredSchedules declared = new DeclaredSchedules();

	Schedules(ConfigurableListableBeanFactory beanFactory, InstantSource clock) {
		this.beanFactory = beanFactory;
		this.clock = clock;
	}

	DeclaredSchedules declared() {
		return this.declared;
	}

	/**
	 * Finds the schedules of a worker.
	 * @param annotations those that the worker declares
	 * @param overrides the properties of schedules by their ids, for the declared ids
	 * @return the worker that keeps them; null if there are none
	 */
	@Nullable RegisteredWorker of(RegisteredWorker worker, Set<LowkiqSchedule> annotations,
			Function<Set<String>, Map<String, LowkiqProperties.Schedule>> overrides) {
		if (InternalQueue.SCHEDULES.isKindOf(worker.queue())) {
			throw new LowkiqConfigurationException(
					"%s has the queue '%s', but names that end in '%s' are reserved for schedules"
						.formatted(worker.workerClass().getName(), worker.queue(), InternalQueue.SCHEDULES.suffix()),
					"Give the queue another name");
		}
		List<Schedule> schedules = find(worker, annotations, overrides);
		if (schedules.isEmpty()) {
			this.declared.add(worker.queue(), schedules);
			return null;
		}
		Method method = ReflectionUtils.findMethod(worker.workerClass(), "payloadAt", String.class, Instant.class);
		if (method == null || method.getDeclaringClass() == QueueWorker.class) {
			throw new LowkiqConfigurationException(
					"%s has schedules, but does not make their payloads".formatted(worker.workerClass().getName()),
					"Override payloadAt(schedule, time) of the worker, and let its @Bean method return the class");
		}
		this.declared.add(worker.queue(), schedules);
		return ScheduleWorker.registered(worker,
				schedules.stream().map(Schedule::id).collect(Collectors.toUnmodifiableSet()),
				() -> this.beanFactory.getBean(ThreadPerformContext.class));
	}

	private List<Schedule> find(RegisteredWorker worker, Set<LowkiqSchedule> annotations,
			Function<Set<String>, Map<String, LowkiqProperties.Schedule>> overrides) {
		Map<String, LowkiqProperties.Schedule> all = new LinkedHashMap<>();
		for (LowkiqSchedule declared : annotations) {
			LowkiqProperties.Schedule schedule = new LowkiqProperties.Schedule(declared.cron(), declared.zone());
			if (all.put(declared.id(), schedule) != null) {
				throw new LowkiqConfigurationException(
						"%s has two schedules '%s'".formatted(worker.workerClass().getName(), declared.id()),
						"Give one of them another id");
			}
		}
		overrides.apply(Set.copyOf(all.keySet())).forEach((id, override) -> {
			LowkiqProperties.Schedule declared = all.get(id);
			if (declared == null) {
				logger.info("Schedule '{}' of queue '{}' is declared by a property only", id, worker.queue());
			}
			all.put(id,
					(declared == null) ? override
							: new LowkiqProperties.Schedule(
									(override.cron() != null) ? override.cron() : declared.cron(),
									(override.zone() != null) ? override.zone() : declared.zone()));
		});
		failOnAlike(worker, List.copyOf(all.keySet()));
		List<Schedule> schedules = new ArrayList<>();
		all.forEach((id, schedule) -> {
			if (Scheduled.CRON_DISABLED.equals(schedule.cron())) {
				this.declared.switchOff(worker.queue(), id);
			}
			else {
				schedules.add(schedule(worker.queue(), id, schedule));
			}
		});
		return List.copyOf(schedules);
	}

	private static void failOnAlike(RegisteredWorker worker, List<String> ids) {
		for (int i = 1; i < ids.size(); i++) {
			String id = ids.get(i);
			QueueProperties.alike(id, ids.subList(0, i)).ifPresent((other) -> {
				throw new LowkiqConfigurationException(
						"%s has the schedules '%s' and '%s', which differ only in case and punctuation"
							.formatted(worker.workerClass().getName(), other, id),
						"Give one of them another id");
			});
		}
	}

	private Schedule schedule(String queue, String id, LowkiqProperties.Schedule properties) {
		String name = "Schedule '%s' of queue '%s'".formatted(id, queue);
		String cron = properties.cron();
		String zone = properties.zone();
		try {
			Ids.check(id);
			CronExpression.parse((cron != null) ? cron : "");
			Schedule schedule = new Schedule(id, String.valueOf(cron),
					(zone == null || zone.isEmpty()) ? ZoneId.systemDefault() : ZoneId.of(zone));
			if (schedule.after(this.clock.instant()) == null) {
				throw new IllegalArgumentException("there is no such date");
			}
			return schedule;
		}
		catch (InvalidJobException ex) {
			throw new LowkiqConfigurationException("%s: %s".formatted(name, ex.getMessage()), "Change its id", ex);
		}
		catch (DateTimeException ex) {
			throw new LowkiqConfigurationException(
					"%s has the time zone '%s', which is not known".formatted(name, zone),
					"Write an id such as 'Europe/Berlin' or 'UTC'", ex);
		}
		catch (IllegalArgumentException ex) {
			throw new LowkiqConfigurationException(
					"%s has the cron expression '%s': %s".formatted(name, cron, ex.getMessage()),
					"Write second, minute, hour, day of month, month and day of week, as in '0 0 6 * * MON-FRI', "
							+ "or set lowkiq.workers.%s.schedules.%s.cron".formatted(queue, id),
					ex);
		}
	}

}
