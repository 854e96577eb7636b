package io.lowkiq.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.schedule.Schedule;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class SchedulesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
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

	@LowkiqWorker("alike")
	@LowkiqSchedule(id = "nightly-report", cron = "@daily")
	@LowkiqSchedule(id = "nightlyReport", cron = "@hourly")
	static class Alike extends Reporting {

	}

	@LowkiqWorker("mail.reports")
	@LowkiqSchedule(id = "nightly-report", cron = "0 0 3 * * *", zone = "UTC")
	@LowkiqSchedule(id = "hourly", cron = "@hourly")
	public static class NightlyReports extends Reporting {

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
	void anIdIsFoundAsItIsOrElseByWhatLooksAlike(CapturedOutput output) {
		String prefix = "lowkiq.workers.[mail.reports].schedules.";
		schedules(NightlyReports.class,
				Map.of("mail.reports",
						List.of(new Schedule("nightly-report", "0 0 5 * * *", ZoneId.of("Europe/Berlin")))),
				prefix + "nightly-report.cron=0 0 5 * * *", prefix + "nightlyReport.cron=0 0 4 * * *",
				prefix + "nightly_report.zone=Europe/Berlin", prefix + "HOURLY.cron=-");
		assertThat(output).doesNotContain("declared by a property only");
	}

	@Test
	void aScheduleByPropertyOnlyIsSaid(CapturedOutput output) {
		schedules(NightlyReports.class,
				Map.of("mail.reports",
						List.of(new Schedule("nightly-report", "0 0 3 * * *", ZoneId.of("UTC")),
								new Schedule("hourly", "@hourly", ZoneId.systemDefault()),
								new Schedule("weekly", "@weekly", ZoneId.systemDefault()))),
				"lowkiq.workers.mail.reports.schedules.weekly.cron=@weekly");
		assertThat(output).containsOnlyOnce("Schedule 'weekly' of queue 'mail.reports' is declared by a property only");
	}

	/** Spring Boot knows them by their names in lower case, with dots. */
	@Test
	void variablesOfTheEnvironmentFindWhatIsDeclared() throws Exception {
		ProcessBuilder program = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), Program.class.getName())
			.redirectErrorStream(true);
		String prefix = "LOWKIQ_WORKERS_MAIL_REPORTS_";
		program.environment()
			.putAll(Map.of(prefix + "SCHEDULES_NIGHTLY_REPORT_CRON", "0 0 4 * * *",
					prefix + "SCHEDULES_NIGHTLYREPORT_ZONE", "Europe/Berlin", prefix + "SCHEDULES_HOURLY_CRON", "-",
					prefix + "GROUP_WEIGHTS_ACME_GMBH", "7", prefix + "GROUP_WEIGHTS_42", "8",
					prefix + "GROUP_SEPARATOR", "/"));
		Process process = program.start();
		String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(printed).isZero();
		assertThat(printed)
			.contains("{mail.reports=[Schedule[id=nightly-report, cron=0 0 4 * * *, zone=Europe/Berlin]]}")
			.contains("{42=8, Acme_GmbH=7}")
			.doesNotContain("declared by a property only");
	}

	/** Prints the schedules and the weights of the groups of an application. */
	public static final class Program {

		private Program() {
		}

		public static void main(String[] args) {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(MemoryStoreConfiguration.class,
					LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
					LowkiqServerAutoConfiguration.class, NightlyReports.class)
				.web(WebApplicationType.NONE)
				.properties("lowkiq.workers.mail.reports.group.weights.[Acme_GmbH]=2")
				.run("--lowkiq.server.enabled=false")) {
				System.out.println(context.getBean(Schedules.class).declared().all());
				System.out.println(new TreeMap<>(context.getBean(WorkerRegistry.class)
					.ofQueue("mail.reports")
					.orElseThrow()
					.settings()
					.groups()
					.weights()));
			}
		}

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
		fails(Alike.class,
				"has the schedules 'nightly-report' and 'nightlyReport', which differ only in case and punctuation");
		fails(NightlyReports.class, "has the schedules 'weekly' and 'Weekly'",
				"lowkiq.workers.[mail.reports].schedules.weekly.cron=@weekly",
				"lowkiq.workers.[mail.reports].schedules.Weekly.cron=@weekly");
		fails(Reports.class, "Schedule 'hourly' of queue 'reports' has the cron expression 'x'", "hourly=x");
		fails(Mails.class, "has the cron expression 'null'", "lowkiq.workers.mails.schedules.daily.zone=UTC");
		fails(Reports.class, "has the time zone 'Berlin', which is not known",
				"lowkiq.workers.reports.schedules.nightly.zone=Berlin");
		fails(Reports.class, "'0 0 12 31 2 *': there is no such date", "hourly=0 0 12 31 2 *");
		fails(Reserved.class, "names that end in '.schedules' are reserved for schedules");
	}

	@Test
	void aMethodDeclaresAWorkerAndItsSchedules() {
		schedules(ByMethod.class, Map.of("orders", List.of(new Schedule("daily", "@daily", ZoneId.systemDefault()),
				new Schedule("nightly", "@midnight", ZoneId.systemDefault()))));
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, PlainMethod.class, HiddenPlain.class, NoWorker.class })
	void aScheduleOfABeanThatIsNoWorkerStopsTheStart(Class<?> configuration) {
		fails(configuration, "Bean 'plain' has a @LowkiqSchedule, but is no worker");
	}

	@Test
	void aScheduleThatTheDefinitionDoesNotShowStopsTheStart() {
		fails(Hidden.class, "which is annotated with @LowkiqSchedule, but its definition does not say so");
	}

	@LowkiqSchedule(id = "nightly", cron = "@midnight")
	static class NightlyOrders extends Reporting {

	}

	@Configuration(proxyBeanMethods = false)
	static class ByMethod {

		@Bean
		@LowkiqWorker("orders")
		@LowkiqSchedule(id = "daily", cron = "@daily")
		NightlyOrders orders() {
			return new NightlyOrders();
		}

	}

	@Component("plain")
	@LowkiqSchedule(id = "daily", cron = "@daily")
	@LowkiqSchedule(id = "hourly", cron = "@hourly")
	static class Plain {

	}

	@Configuration(proxyBeanMethods = false)
	static class PlainMethod {

		@Bean
		@LowkiqSchedule(id = "daily", cron = "@daily")
		Runnable plain() {
			return () -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenPlain {

		@Bean
		Object plain() {
			return new Plain();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoWorker {

		@Bean
		NightlyOrders plain() {
			return new NightlyOrders();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hidden {

		@Bean
		@LowkiqWorker("orders")
		Worker<String> orders() {
			return new NightlyOrders();
		}

	}

	@LowkiqWorker("mails.schedules")
	static class Reserved extends Reporting {

	}

}
