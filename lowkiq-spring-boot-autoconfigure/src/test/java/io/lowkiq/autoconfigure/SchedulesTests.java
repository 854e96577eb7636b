package io.lowkiq.autoconfigure;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.schedule.Schedule;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class SchedulesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	abstract static class Reporting implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Override
		public String payloadAt(String schedule, Instant time) {
			return schedule;
		}

	}

	@LowkiqWorker("reports")
	@LowkiqSchedule(id = "nightly", cron = "0 0 3 * * *", zone = "Europe/Berlin")
	@LowkiqSchedule(id = "hourly", cron = "${hourly:@hourly}")
	static class Reports extends Reporting {

	}

	@LowkiqWorker("mails")
	static class Mails extends Reporting {

	}

	@LowkiqWorker("silent")
	@LowkiqSchedule(id = "daily", cron = "@daily")
	static class Silent implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	@LowkiqWorker("twice")
	@LowkiqSchedule(id = "daily", cron = "@daily")
	@LowkiqSchedule(id = "daily", cron = "@hourly")
	static class Twice extends Reporting {

	}

	private void schedules(Class<?> worker, Map<String, List<Schedule>> expected, String... properties) {
		this.runner.withUserConfiguration(worker)
			.withPropertyValues(properties)
			.run((context) -> assertThat(context.getBean(Schedules.class).declared().all()).isEqualTo(expected));
	}

	private void fails(Class<?> worker, String message, String... properties) {
		this.runner.withUserConfiguration(worker)
			.withPropertyValues(properties)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
	}

	@Test
	void schedulesAreThoseOfTheAnnotations() {
		schedules(Reports.class,
				Map.of("reports",
						List.of(new Schedule("nightly", "0 0 3 * * *", ZoneId.of("Europe/Berlin")),
								new Schedule("hourly", "0 15 * * * *", ZoneId.systemDefault()))),
				"hourly=0 15 * * * *");
	}

	@Test
	void propertiesOverrideAndAddSchedules() {
		schedules(Reports.class,
				Map.of("reports",
						List.of(new Schedule("nightly", "0 0 4 * * *", ZoneId.of("Europe/Berlin")),
								new Schedule("yearly", "@yearly", ZoneId.of("UTC")))),
				"lowkiq.workers.reports.schedules.nightly.cron=0 0 4 * * *",
				"lowkiq.workers.reports.schedules.hourly.cron=-",
				"lowkiq.workers.reports.schedules.yearly.cron=@yearly",
				"lowkiq.workers.reports.schedules.yearly.zone=UTC");
		schedules(Mails.class, Map.of("mails", List.of(new Schedule("daily", "@daily", ZoneId.of("UTC")))),
				"lowkiq.workers.mails.schedules.daily.cron=@daily", "lowkiq.workers.mails.schedules.daily.zone=UTC");
	}

	@Test
	void aWorkerWithSchedulesHasAQueueForThem() {
		this.runner.withUserConfiguration(Reports.class)
			.run((context) -> assertThat(
					context.getBean(WorkerRegistry.class).all().stream().map(RegisteredWorker::queue))
				.containsExactly("reports", "reports.schedules"));
		this.runner.withUserConfiguration(Mails.class)
			.run((context) -> assertThat(
					context.getBean(WorkerRegistry.class).all().stream().map(RegisteredWorker::queue))
				.containsExactly("mails"));
	}

	@Test
	void aWrongScheduleStopsTheStart() {
		fails(Silent.class, "has schedules, but does not make their payloads");
		fails(Twice.class, "two schedules 'daily'");
		fails(Reports.class, "Schedule 'hourly' of queue 'reports' has the cron expression 'x'", "hourly=x");
		fails(Mails.class, "has the cron expression 'null'", "lowkiq.workers.mails.schedules.daily.zone=UTC");
		fails(Reports.class, "has the time zone 'Berlin', which is not known",
				"lowkiq.workers.reports.schedules.nightly.zone=Berlin");
		fails(Reports.class, "'0 0 12 31 2 *': there is no such date", "hourly=0 0 12 31 2 *");
		fails(Reserved.class, "names that end in '.schedules' are reserved for schedules");
	}

	@LowkiqWorker("mails.schedules")
	static class Reserved extends Reporting {

	}

}
